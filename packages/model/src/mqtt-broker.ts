import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, orNull } from "./schema.ts";

export const exposedKinds = ["devices", "groups", "scenes", "rules"] as const;
export const brokerCommands = ["none", "comfort", "all"] as const;

const Prefix = Type.String({ pattern: "^[^+#/\\u0000]+(/[^+#/\\u0000]+)*$", maxLength: 64 });
const Words = Type.String({ minLength: 1, maxLength: 256 });

/** Certificates or a key in PEM. */
const Pem = Type.String({ pattern: "-----BEGIN [A-Z ]+-----", maxLength: limits.pemChars });

const shared = {
  /** `mqtt://host:port`, or `mqtts://` with TLS. */
  url: Type.String({ pattern: "^mqtts?://[^\\s/@?#]+$", maxLength: 256 }),
  username: orNull(Words),
  /** What is shown on the broker; none: nothing. */
  expose: Type.Array(Type.Enum([...exposedKinds]), { uniqueItems: true }),
  /** Which commands are taken from there; `comfort`: all but those to locks and sirens. */
  commands: Type.Enum([...brokerCommands]),
  /** Base topics of Zigbee2MQTT bridges whose devices are the hub's. */
  zigbee2mqtt: Type.Array(Prefix, { maxItems: 16, uniqueItems: true }),
  /** The prefix of Tasmota's discovery, and of Home Assistant's; null: not heard. */
  tasmota: orNull(Prefix),
  homeAssistant: orNull(Prefix),
  /** The user whose rights the broker's clients have: they see and command what that user may. Null: all that is not hidden. */
  user: orNull(Id),
};

/** MQTT_SETTINGS: the broker that the hub uses. Password, certificate and key are never shown. */
export const MqttSettings = Type.Object({
  type: Type.Literal("MQTT_SETTINGS"),
  ...shared,
  hasPassword: Type.Boolean(),
  /** Whether an authority for the broker's certificate is set. */
  hasCa: Type.Boolean(),
  /** Whether the hub has a certificate of its own for the broker. */
  hasCertificate: Type.Boolean(),
});

/** What a client sets; left out is unchanged, or as by default. */
export const SetMqttSettings = Type.Object({
  type: Type.Optional(Type.Literal("MQTT_SETTINGS")),
  ...Type.Partial(Type.Object(shared)).properties,
  password: Type.Optional(orNull(Words)),
  /** PEM: the authority that signs the broker's certificate; null: one that is known anyway. */
  ca: Type.Optional(orNull(Pem)),
  /** PEM: the hub's certificate for a broker that asks for one, and its key. They are set together. */
  certificate: Type.Optional(orNull(Pem)),
  key: Type.Optional(orNull(Pem)),
});

/** The broker as it is set by the API. Its secrets may be sealed: a backup without secrets leaves them so. */
export interface MqttBroker extends Readonly<Type.Static<typeof Shared>> {
  readonly id: string;
  readonly password: unknown;
  readonly ca: string | null;
  readonly certificate: unknown;
  readonly key: unknown;
}
const Shared = Type.Object(shared);

declare module "./states.ts" {
  interface States {
    mqttBroker: MqttBroker;
  }
}

/** The id of the one instance. */
export const mqttBrokerId = "mqtt";

export type MqttBrokerCommand =
  | (Omit<Type.Static<typeof SetMqttSettings>, "type"> & { readonly type: "SET_MQTT_BROKER" })
  | { readonly type: "REMOVE_MQTT_BROKER" };

const Text = orNull(Type.String());
const MqttBrokerSet = defineEvent(
  "MqttBrokerSet",
  1,
  {
    url: Type.String(),
    username: Text,
    password: Type.Unknown(),
    expose: Type.Array(Type.String()),
    commands: Type.String(),
    zigbee2mqtt: Type.Array(Type.String()),
    tasmota: Text,
    homeAssistant: Text,
    user: Text,
    ca: Type.Optional(Text),
    certificate: Type.Optional(Type.Unknown()),
    key: Type.Optional(Type.Unknown()),
  },
  ["password", "certificate", "key"],
);
/** The hub has the broker of its profile again, or none. */
const MqttBrokerRemoved = defineEvent("MqttBrokerRemoved", 1, {});

export type MqttBrokerEvent = EventOf<typeof MqttBrokerSet> | EventOf<typeof MqttBrokerRemoved>;

const defaults = {
  username: null,
  password: null,
  expose: [...exposedKinds],
  commands: "comfort",
  zigbee2mqtt: [],
  tasmota: null,
  homeAssistant: null,
  user: null,
  ca: null,
  certificate: null,
  key: null,
} as const;

/** One instance, which exists once somebody sets it; it takes precedence over the profile's broker. */
export const mqttBroker: Decider<MqttBroker, MqttBrokerCommand, MqttBrokerEvent> = {
  kind: "mqttBroker",
  commands: ["SET_MQTT_BROKER", "REMOVE_MQTT_BROKER"],
  events: [MqttBrokerSet, MqttBrokerRemoved],
  secrets: ["password", "certificate", "key"],

  target: () => mqttBrokerId,

  decide(command, state, world) {
    const id = mqttBrokerId;
    if (command.type === "REMOVE_MQTT_BROKER") {
      if (state === undefined) return reject("not-found", "no broker was set");
      return [{ type: "MqttBrokerRemoved", id } satisfies MqttBrokerEvent];
    }
    // Field by field: a body may hold others, which the log must not.
    const before = state ?? defaults;
    const { url = state?.url, username = before.username, user = before.user } = command;
    const { expose = before.expose, commands = before.commands, zigbee2mqtt = before.zigbee2mqtt } = command;
    const { tasmota = before.tasmota, homeAssistant = before.homeAssistant } = command;
    const password = command.password === undefined ? before.password : command.password;
    const { ca = before.ca } = command;
    // Both or neither: half of a pair is of no use.
    const isPair = typeof command.certificate === "string" && typeof command.key === "string";
    if (!isPair && typeof (command.certificate ?? command.key) === "string")
      return reject("invalid", "is missing", typeof command.key === "string" ? "certificate" : "key");
    const isTaken = command.certificate === null || command.key === null;
    const { certificate, key } = isTaken ? defaults : isPair ? command : before;
    const parsed = url === undefined ? null : URL.parse(url);
    if (url === undefined) return reject("invalid", "is missing", "url");
    if (parsed === null || parsed.hostname === "")
      return reject("invalid", "must be mqtt://host:port", "url");
    // A password goes to the broker for which it was given.
    const isMoved = state !== undefined && (state.url !== url || state.username !== username);
    if (isMoved && state.password !== null && command.password === undefined)
      return reject("invalid", "must be given again for another broker or user", "password");
    if (password !== null && username === null) return reject("invalid", "is missing", "username");
    for (const [field, value] of Object.entries({ ca, certificate }))
      if (value !== null && parsed.protocol !== "mqtts:")
        return reject("invalid", "belongs to an mqtts: url", field);
    if (user !== null && world.get("user", user) === undefined)
      return reject("invalid", `no user ${user}`, "user");
    const shown = {
      expose: [...expose],
      commands,
      zigbee2mqtt: [...zigbee2mqtt],
      tasmota,
      homeAssistant,
      user,
    };
    const tls = { ca, certificate, key };
    return [
      { type: "MqttBrokerSet", id, url, username, password, ...shown, ...tls } satisfies MqttBrokerEvent,
    ];
  },

  evolve(_state, event) {
    if (event.type === "MqttBrokerRemoved") return undefined;
    const { type: _, ...set } = event;
    const expose = exposedKinds.filter((kind) => set.expose.includes(kind));
    const commands = brokerCommands.find((known) => known === set.commands) ?? "none";
    const { ca = null, certificate = null, key = null } = set;
    return { ...set, expose, commands, ca, certificate, key };
  },
};
