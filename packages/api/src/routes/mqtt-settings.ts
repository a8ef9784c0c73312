import { type Command, type MqttBroker, mqttBrokerId, MqttSettings, SetMqttSettings } from "@ledge/model";
import Type from "typebox";
import { notFound, Refused } from "../refused.ts";
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

function shown({ password, ...settings }: MqttBroker): Type.Static<typeof MqttSettings> {
  const { url, username, expose, commands, zigbee2mqtt, tasmota, homeAssistant, user } = settings;
  const what = { expose, commands, zigbee2mqtt, tasmota, homeAssistant, user };
  return { type: "MQTT_SETTINGS", url, username, ...what, hasPassword: password !== null };
}
