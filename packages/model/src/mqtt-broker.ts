import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { Id, orNull } from "./schema.ts";

export const exposedKinds = ["devices", "groups", "scenes", "rules"] as const;
export const brokerCommands = ["none", "comfort", "all"] as const;

const Prefix = Type.String({ pattern: "^[^+#/\\u0000]+(/[^+#/\\u0000]+)*$", maxLength: 64 });
const Words = Type.String({ minLength: 1, maxLength: 256 });

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

/** MQTT_SETTINGS: the broker that the hub uses. The password is never shown. */
export const MqttSettings = Type.Object({
  type: Type.Literal("MQTT_SETTINGS"),
  ...shared,
  hasPassword: Type.Boolean(),
});

/** What a client sets; left out is unchanged, or as by default. */
export const SetMqttSettings = Type.Object({
  type: Type.Optional(Type.Literal("MQTT_SETTINGS")),
  ...Type.Partial(Type.Object(shared)).properties,
  password: Type.Optional(orNull(Words)),
});

/** The broker as it is set by the API. `password` may be sealed: a backup without secrets leaves it so. */
export interface MqttBroker extends Readonly<Type.Static<typeof Shared>> {
  readonly id: string;
  readonly password: unknown;
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
  },
  ["password"],
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
} as const;

/** One instance, which exists once somebody sets it; it takes precedence over the profile's broker. */
export const mqttBroker: Decider<MqttBroker, MqttBrokerCommand, MqttBrokerEvent> = {
  kind: "mqttBroker",
  commands: ["SET_MQTT_BROKER", "REMOVE_MQTT_BROKER"],
  events: [MqttBrokerSet, MqttBrokerRemoved],
  secrets: ["password"],

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
    const parsed = url === undefined ? null : URL.parse(url);
    if (url === undefined) return reject("invalid", "is missing", "url");
    if (parsed === null || parsed.hostname === "")
      return reject("invalid", "must be mqtt://host:port", "url");
    // A password goes to the broker for which it was given.
    const isMoved = state !== undefined && (state.url !== url || state.username !== username);
    if (isMoved && state.password !== null && command.password === undefined)
      return reject("invalid", "must be given again for another broker or user", "password");
    if (password !== null && username === null) return reject("invalid", "is missing", "username");
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
    return [{ type: "MqttBrokerSet", id, url, username, password, ...shown } satisfies MqttBrokerEvent];
  },

  evolve(_state, event) {
    if (event.type === "MqttBrokerRemoved") return undefined;
    const { type: _, ...set } = event;
    const expose = exposedKinds.filter((kind) => set.expose.includes(kind));
    const commands = brokerCommands.find((known) => known === set.commands) ?? "none";
    return { ...set, expose, commands };
  },
};
