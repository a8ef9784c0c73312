import { createPrivateKey, X509Certificate } from "node:crypto";
import { type Command, type MqttBroker, mqttBrokerId, MqttSettings, SetMqttSettings } from "@ledge/model";
import Type from "typebox";
import { invalid, notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";

const noBroker = "no broker was set by the API: the profile may name one";

/** The hub API leaves open how a hub comes to its broker: these are added. Whoever sets it opens the home to its clients. */
export const mqttSettings = [
  row({
    method: "GET",
    path: "/hub/mqtt",
    summary: "The MQTT broker that was set by the API",
    access: "OWNER_ADMIN",
    feature: "MQTT",
    result: MqttSettings,
    handle: brokerSet,
  }),
  row({
    method: "PUT",
    path: "/hub/mqtt",
    summary: "Sets the MQTT broker in the place of the profile's; the adapter starts again with it",
    access: "OWNER_ADMIN",
    feature: "MQTT",
    body: SetMqttSettings,
    result: MqttSettings,
    async handle(call) {
      const fault = tlsFault(call.body);
      if (fault !== undefined) return fault;
      const command: Command = { ...call.body, type: "SET_MQTT_BROKER" };
      const done = await submit(call, [command]);
      return done instanceof Refused ? done : brokerSet(call);
    },
  }),
  row({
    method: "DELETE",
    path: "/hub/mqtt",
    summary: "Takes the MQTT broker of the profile again, or none",
    access: "OWNER_ADMIN",
    feature: "MQTT",
    result: Type.Literal(true),
    handle: (call) => submitFor(call, [{ type: "REMOVE_MQTT_BROKER" }], true as const),
  }),
];

function brokerSet({ hub: { kernel } }: Call): Type.Static<typeof MqttSettings> | Refused {
  const broker = kernel.get("mqttBroker", mqttBrokerId);
  return broker === undefined ? notFound(noBroker) : shown(broker);
}

function shown(broker: MqttBroker): Type.Static<typeof MqttSettings> {
  const { url, username, expose, commands, zigbee2mqtt, tasmota, homeAssistant, user } = broker;
  return {
    type: "MQTT_SETTINGS",
    url,
    username,
    expose,
    commands,
    zigbee2mqtt,
    tasmota,
    homeAssistant,
    user,
    hasPassword: broker.password !== null,
    hasCa: broker.ca !== null,
    hasCertificate: broker.certificate !== null,
  };
}

/** Refuses certificates that cannot be read, and a key that is not the certificate's. */
function tlsFault({ ca, certificate, key }: Type.Static<typeof SetMqttSettings>): Refused | undefined {
  if (ca && certificatesIn(ca) === undefined)
    return invalid([{ field: "ca", message: "is no certificate in PEM" }]);
  if (!certificate || !key) return undefined;
  const [own] = certificatesIn(certificate) ?? [];
  if (own === undefined) return invalid([{ field: "certificate", message: "is no certificate in PEM" }]);
  try {
    return own.checkPrivateKey(createPrivateKey(key))
      ? undefined
      : invalid([{ field: "key", message: "is not the certificate's" }]);
  } catch {
    return invalid([{ field: "key", message: "is no private key in PEM without a passphrase" }]);
  }
}

/** Returns the certificates of a text in PEM; undefined if one of them cannot be read, or there is none. */
function certificatesIn(pem: string): readonly X509Certificate[] | undefined {
  const each = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
  try {
    return each.map((one) => new X509Certificate(one));
  } catch {
    return undefined;
  }
}
