import { readFileSync } from "node:fs";
import { checkedSetting, refuseSetting } from "@ledge/port";
import Type from "typebox";
import { readPlain } from "./in/plain.ts";
import type { PointedDevice } from "./in/pointed-device.ts";

const strict = { additionalProperties: false } as const;
const Path = Type.Optional(Type.String({ pattern: "^/" }));
/** The path of a file in PEM, or its content where the settings come from the hub's API. */
const Pem = Type.Optional(Type.String({ pattern: "^/|-----BEGIN " }));
/** A part of a topic: no wildcards, no empty levels. */
const Prefix = Type.String({ pattern: "^[^+#/\\u0000]+(/[^+#/\\u0000]+)*$", maxLength: 64 });

/** A filter of topics: wildcards stand for whole levels. */
const Filter = Type.String({
  pattern: "^(?:[^+#/\\u0000]+|\\+)(?:/(?:[^+#/\\u0000]+|\\+))*(?:/#)?$",
  maxLength: 256,
});

const Broker = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 256 }),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    /** The password itself, where the settings come from the hub's API. */
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    passwordFile: Path,
    ca: Pem,
    certificate: Pem,
    key: Pem,
  },
  strict,
);

const kinds = ["devices", "groups", "scenes", "rules"] as const;
export type Kind = (typeof kinds)[number];

const HomeAssistant = Type.Object(
  {
    expose: Type.Optional(Type.Array(Type.Enum([...kinds]), { uniqueItems: true })),
    commands: Type.Optional(Type.Enum(["none", "comfort", "all"])),
    discoveryPrefix: Type.Optional(Prefix),
    base: Type.Optional(Prefix),
  },
  strict,
);

const Sources = Type.Object(
  {
    zigbee2mqtt: Type.Optional(Type.Array(Prefix, { maxItems: 16, uniqueItems: true })),
    tasmota: Type.Optional(Prefix),
    homeAssistant: Type.Optional(Prefix),
    ble: Type.Optional(Type.Array(Filter, { minItems: 1, maxItems: 16, uniqueItems: true })),
    /** A list of devices on plain topics, or the path of a file that holds it. */
    topics: Type.Optional(Type.Unknown()),
  },
  strict,
);

const Root = Type.Object(
  {
    broker: Type.Unknown(),
    homeAssistant: Type.Optional(Type.Unknown()),
    sources: Type.Optional(Type.Unknown()),
  },
  strict,
);

/** How to reach a broker, with the contents of the files that the settings name. */
export interface BrokerSettings {
  /** `mqtt://host:port`, or `mqtts://` with TLS. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM: the authority that signs the broker's certificate, where it is none of the known ones. */
  readonly ca?: string;
  /** PEM: the hub's own certificate and its key. */
  readonly certificate?: string;
  readonly key?: string;
}

/** What the hub shows on the broker, and takes from it. */
export interface HomeAssistantSettings {
  readonly expose: ReadonlySet<Kind>;
  /** Which commands are taken: `comfort`: all but those to locks and sirens. */
  readonly commands: "none" | "comfort" | "all";
  readonly discoveryPrefix: string;
  readonly base: string;
}

/** Where devices of others come from. */
export interface SourceSettings {
  /** Base topics of Zigbee2MQTT bridges. */
  readonly zigbee2mqtt: readonly string[];
  /** What topics of Tasmota's discovery begin with; undefined: none is heard. */
  readonly tasmota: string | undefined;
  /** As much of the discovery of Home Assistant. */
  readonly homeAssistant: string | undefined;
  /** Filters of the topics on which gateways pass Bluetooth LE advertisements on; undefined: none. */
  readonly ble: readonly string[] | undefined;
  readonly topics: readonly PointedDevice[];
}

export interface Settings {
  readonly broker: BrokerSettings;
  /** Undefined: none. */
  readonly sources: SourceSettings | undefined;
  /** Undefined: the hub shows nothing. */
  readonly homeAssistant: HomeAssistantSettings | undefined;
}

/**
 * Validates the settings, fills in defaults and reads the files that they name.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown, readFile: (path: string) => string = readText): Settings {
  const { broker, homeAssistant, sources } = checkedSetting(Root, settings, "");
  return {
    broker: readBroker(broker, readFile),
    sources: sources === undefined ? undefined : readSources(sources, readFile),
    homeAssistant: homeAssistant === undefined ? undefined : readHomeAssistant(homeAssistant),
  };
}

function readSources(settings: unknown, readFile: (path: string) => string): SourceSettings {
  const {
    zigbee2mqtt = [],
    tasmota,
    homeAssistant,
    ble,
    topics = [],
  } = checkedSetting(Sources, settings, "sources");
  const list = typeof topics === "string" ? listIn(contentOf(topics, "sources.topics", readFile)) : topics;
  return { zigbee2mqtt, tasmota, homeAssistant, ble, topics: readPlain(list, "sources.topics") };
}

function listIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return refuseSetting("sources.topics", `is no JSON: ${(error as Error).message}`);
  }
}

function readHomeAssistant(settings: unknown): HomeAssistantSettings {
  const {
    expose = kinds,
    commands = "comfort",
    discoveryPrefix = "homeassistant",
    base = "ledge",
  } = checkedSetting(HomeAssistant, settings, "homeAssistant");
  if (base === discoveryPrefix) refuseSetting("homeAssistant.base", "must differ from discoveryPrefix");
  return { expose: new Set(expose), commands, discoveryPrefix, base };
}

function readBroker(settings: unknown, readFile: (path: string) => string): BrokerSettings {
  const { url, username, password, passwordFile, ca, certificate, key } = checkedSetting(
    Broker,
    settings,
    "broker",
  );
  const parsed = URL.parse(url);
  if (parsed === null || !["mqtt:", "mqtts:"].includes(parsed.protocol) || parsed.hostname === "")
    refuseSetting("broker.url", "must be mqtt://host:port or mqtts://host:port");
  if (parsed.username !== "" || parsed.password !== "")
    refuseSetting("broker.url", "holds a user: put it into username and passwordFile");
  if (parsed.pathname.length > 1 || parsed.search !== "" || parsed.hash !== "")
    refuseSetting("broker.url", "must end with the port");
  const isTls = parsed.protocol === "mqtts:";
  for (const [name, path] of Object.entries({ ca, certificate, key }))
    if (path !== undefined && !isTls) refuseSetting(`broker.${name}`, "belongs to an mqtts: url");
  if ((certificate === undefined) !== (key === undefined))
    refuseSetting(certificate === undefined ? "broker.certificate" : "broker.key", "is missing");
  if (password !== undefined && passwordFile !== undefined)
    refuseSetting("broker.passwordFile", "must not stand beside password");
  if ((passwordFile ?? password) !== undefined && username === undefined)
    refuseSetting("broker.username", "is missing");
  const contents = Object.entries({ password: passwordFile, ca, certificate, key }).flatMap(
    ([name, path]) => {
      if (path === undefined) return [];
      const field = name === "password" ? "passwordFile" : name;
      const isContent = field !== "passwordFile" && !path.startsWith("/");
      return [[name, isContent ? path : contentOf(path, `broker.${field}`, readFile)] as const];
    },
  );
  const user = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  return { url, ...user, ...Object.fromEntries(contents) };
}

function contentOf(path: string, field: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    return refuseSetting(field, `cannot be read: ${(error as Error).message}`);
  }
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
