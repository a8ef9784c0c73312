import { readFileSync } from "node:fs";
import { limits } from "@ledge/model";
import { checkedSetting, refuseDuplicates, refuseSetting } from "@ledge/port";
import type { LinePlace, SerialFormat } from "@ledge/serial";
import Type from "typebox";
import type { Coded } from "./device.ts";
import { type Kind, kinds } from "./kinds.ts";
import { idOf } from "./signal.ts";

const strict = { additionalProperties: false } as const;
const whole = (minimum: number, maximum: number): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum, maximum }));
const Key = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" });
const Label = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });
const Absolute = Type.String({ pattern: "^/[^\\u0000]*$", maxLength: 1024 });
const Host = Type.String({ minLength: 1, maxLength: 253 });
const TcpPort = Type.Integer({ minimum: 1, maximum: 0xffff });
/** What stands between two semicolons of a gateway's line. */
const Part = Type.String({ pattern: "^[\\x20-\\x3a\\x3c-\\x7e]{1,64}$" });

/** Speeds of gateways; that of RFLink is 57600. */
export const baudRates = [9600, 19_200, 38_400, 57_600, 115_200] as const;

const Serial = Type.Object(
  { type: Type.Literal("serial"), path: Absolute, baudRate: Type.Optional(Type.Enum([...baudRates])) },
  strict,
);
const Tcp = Type.Object({ type: Type.Literal("tcp"), host: Host, port: TcpPort }, strict);
const File = Type.Object({ type: Type.Literal("file"), path: Absolute }, strict);
/** A program that writes lines to its standard output. */
const Program = Type.Object(
  {
    type: Type.Literal("program"),
    path: Absolute,
    arguments: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 64 })),
  },
  strict,
);
const Mqtt = Type.Object(
  {
    type: Type.Literal("mqtt"),
    url: Type.String({ minLength: 1, maxLength: 256 }),
    topic: Type.Optional(Type.String({ minLength: 1, maxLength: 256, pattern: "^[^\\u0000]+$" })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    passwordFile: Type.Optional(Absolute),
    ca: Type.Optional(Absolute),
  },
  strict,
);
const transports = { serial: Serial, tcp: Tcp };
const sources = { file: File, tcp: Tcp, program: Program, mqtt: Mqtt };

/** A code that the profile names: that of a socket whose code is set by a wheel, say. */
const DeviceSchema = Type.Object(
  {
    id: Key,
    name: Label,
    kind: Type.Enum(Object.keys(kinds) as Kind[]),
    protocol: Part,
    address: Part,
    unit: Type.Optional(Part),
  },
  strict,
);
const common = {
  name: Key,
  silentAfterMs: whole(1000, 31 * 86_400_000),
  devices: Type.Optional(Type.Array(DeviceSchema, { maxItems: 500 })),
};
const Gateway = Type.Object({ ...common, transport: Type.Unknown() }, strict);
const Receiver = Type.Object({ ...common, source: Type.Unknown() }, strict);
const Root = Type.Object(
  {
    gateways: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 8 })),
    receivers: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 8 })),
  },
  strict,
);

export type GatewayTransport =
  | ({ readonly type: "serial"; readonly path: string } & SerialFormat<(typeof baudRates)[number]>)
  | { readonly type: "tcp"; readonly host: string; readonly port: number };

/** A program that the hub runs, and what it is told. */
export interface ProgramPlace {
  readonly type: "program";
  readonly path: string;
  readonly arguments: readonly string[];
}

/** A topic of a broker, with the contents of the files that the settings name. */
export interface MqttPlace {
  readonly type: "mqtt";
  readonly url: string;
  readonly topic: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM */
  readonly ca?: string;
}

export type SourceSettings = LinePlace | ProgramPlace | MqttPlace;

interface PlaceSettings {
  readonly name: string;
  /** A sensor that is not heard for so long is unreachable. */
  readonly silentAfterMs: number;
  readonly devices: readonly Coded[];
}

/** A gateway that hears and sends: an RFLink. */
export interface GatewaySettings extends PlaceSettings {
  readonly transport: GatewayTransport;
}

/** A receiver: rtl_433. */
export interface ReceiverSettings extends PlaceSettings {
  readonly source: SourceSettings;
}

export interface Settings {
  readonly gateways: readonly GatewaySettings[];
  readonly receivers: readonly ReceiverSettings[];
}

const hourMs = 3_600_000;
const defaults = { silentAfterMs: 2 * hourMs } as const;

/**
 * Validates the settings and fills in defaults.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @param readFile for tests
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown, readFile: (path: string) => string = readText): Settings {
  const { gateways = [], receivers = [] } = checkedSetting(Root, settings, "");
  const sending = gateways.map((each, index) => readGateway(each, `gateways[${index}]`));
  const hearing = receivers.map((each, index) => readReceiver(each, `receivers[${index}]`, readFile));
  refuseDuplicates(namesOf(sending), "gateways", "name");
  refuseDuplicates(namesOf(hearing), "receivers", "name");
  const both = hearing.findIndex(({ name }) => namesOf(sending).includes(name));
  if (both >= 0) refuseSetting(`receivers[${both}].name`, `"${hearing[both]?.name}" is already in use`);
  return { gateways: sending, receivers: hearing };
}

const namesOf = (places: readonly { readonly name: string }[]): readonly string[] =>
  places.map(({ name }) => name);

function readGateway(settings: unknown, path: string): GatewaySettings {
  const { name, transport, devices, ...rest } = checkedSetting(Gateway, settings, path);
  return {
    ...defaults,
    ...rest,
    name,
    transport: readTransport(transport, `${path}.transport`),
    devices: readDevices(devices, path),
  };
}

function readReceiver(settings: unknown, path: string, readFile: (path: string) => string): ReceiverSettings {
  const { name, source, devices, ...rest } = checkedSetting(Receiver, settings, path);
  const read = readDevices(devices, path);
  const deaf = read.findIndex(({ kind }) => kinds[kind].isAssumed);
  if (deaf >= 0) refuseSetting(`${path}.devices[${deaf}].kind`, "needs a gateway: a receiver sends nothing");
  return {
    ...defaults,
    ...rest,
    name,
    source: readSource(source, `${path}.source`, readFile),
    devices: read,
  };
}

function readTransport(settings: unknown, path: string): GatewayTransport {
  if (typeIn(settings, transports, path) === "tcp") return checkedSetting(Tcp, settings, path);
  const { baudRate = 57_600, ...rest } = checkedSetting(Serial, settings, path);
  return { ...rest, baudRate, dataBits: 8, stopBits: 1, parity: "none" };
}

function readSource(settings: unknown, path: string, readFile: (path: string) => string): SourceSettings {
  const type = typeIn(settings, sources, path);
  if (type === "file") return checkedSetting(File, settings, path);
  if (type === "tcp") return checkedSetting(Tcp, settings, path);
  if (type === "mqtt") return readMqtt(settings, path, readFile);
  const { arguments: given = ["-F", "json"], ...program } = checkedSetting(Program, settings, path);
  return { ...program, arguments: given };
}

function readMqtt(settings: unknown, path: string, readFile: (path: string) => string): MqttPlace {
  const { passwordFile, ca, topic = "rtl_433/+/events", ...rest } = checkedSetting(Mqtt, settings, path);
  const url = URL.parse(rest.url);
  if (url === null || !["mqtt:", "mqtts:"].includes(url.protocol) || url.hostname === "")
    refuseSetting(`${path}.url`, "must be mqtt://host:port or mqtts://host:port");
  if (url.username !== "" || url.password !== "")
    refuseSetting(`${path}.url`, "holds a user: put it into username and passwordFile");
  if (passwordFile !== undefined && rest.username === undefined)
    refuseSetting(`${path}.username`, "is missing");
  if (ca !== undefined && url.protocol !== "mqtts:") refuseSetting(`${path}.ca`, "belongs to an mqtts: url");
  return {
    ...rest,
    topic,
    ...(passwordFile !== undefined && {
      password: contentOf(passwordFile, `${path}.passwordFile`, readFile),
    }),
    ...(ca !== undefined && { ca: contentOf(ca, `${path}.ca`, readFile) }),
  };
}

function contentOf(path: string, field: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    return refuseSetting(field, `cannot be read: ${(error as Error).message}`);
  }
}

function typeIn<Types extends object>(settings: unknown, types: Types, path: string): keyof Types {
  const type = (settings as { readonly type?: unknown } | null | undefined)?.type;
  if (typeof type === "string" && Object.hasOwn(types, type)) return type as keyof Types;
  return refuseSetting(`${path}.type`, `must be one of ${Object.keys(types).join(", ")}`);
}

function readDevices(
  given: readonly Type.Static<typeof DeviceSchema>[] | undefined,
  path: string,
): readonly Coded[] {
  const devices = (given ?? []).map((device) => ({ ...device, id: idOf(device.id) }));
  refuseDuplicates(
    devices.map(({ id }) => id),
    `${path}.devices`,
    "id",
  );
  const unitless = devices.findIndex(({ kind, unit }) => kinds[kind].isAssumed && unit === undefined);
  if (unitless >= 0) refuseSetting(`${path}.devices[${unitless}].unit`, "is missing");
  return devices;
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
