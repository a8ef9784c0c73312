import { type FrameFormat, fromHex, type SecondaryAddress } from "@ledge/mbus";
import { limits } from "@ledge/model";
import { checkedSetting, refuseDuplicates, refuseSetting } from "@ledge/port";
import type { SerialFormat as Format, UsedPort } from "@ledge/serial";
import Type from "typebox";

const strict = { additionalProperties: false } as const;
const whole = (minimum: number, maximum: number): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum, maximum }));
const byte = whole(0, 254);

const Key = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" });
const Label = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });
const Manufacturer = Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" }));

/** Speeds of EN 13757-2. */
export const baudRates = [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400] as const;

/**
 * A meter. `id` is part of the device's native id: another id is another device. `address` (1 to 250) or `serial`, the eight
 * digits printed on the meter, says which one it is; the other parts of its secondary address are needed only where meters of
 * several makers have the same digits.
 */
const MeterSchema = Type.Object(
  {
    id: Key,
    name: Label,
    address: whole(1, 250),
    serial: Type.Optional(Type.String({ pattern: "^[0-9A-F]{8}$" })),
    manufacturer: Manufacturer,
    version: byte,
    medium: byte,
    key: Type.Optional(Type.String({ pattern: "^[0-9A-Fa-f]{32}$" })),
    readEveryMs: whole(1000, 31 * 86_400_000),
    baudRate: Type.Optional(Type.Enum([...baudRates])),
  },
  strict,
);

const serialFormat = {
  baudRate: Type.Optional(Type.Enum([...baudRates])),
  dataBits: Type.Optional(Type.Union([Type.Literal(7), Type.Literal(8)])),
  stopBits: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
  parity: Type.Optional(Type.Enum(["none", "even", "odd"])),
};
/**
 * A level converter at a serial port. The bus has eight bits, even parity and one stop bit; some converters speak
 * otherwise to the hub.
 */
const Serial = Type.Object(
  { type: Type.Literal("serial"), path: Type.String({ minLength: 1 }), ...serialFormat },
  strict,
);
/** A gateway that passes bytes on; `baudRate` is that of the bus behind it. */
const Tcp = Type.Object(
  {
    type: Type.Literal("tcp"),
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 0xffff }),
    baudRate: serialFormat.baudRate,
  },
  strict,
);
const transports = { serial: Serial, tcp: Tcp };

const Port = Type.Object(
  {
    name: Key,
    transport: Type.Unknown(),
    latencyMs: whole(0, 10_000),
    readEveryMs: whole(1000, 31 * 86_400_000),
    unreachableAfter: whole(1, 100),
    meters: Type.Array(Type.Unknown(), { maxItems: 250 }),
  },
  strict,
);
/** A receiver of wireless meters, whose program writes frames as lines of hexadecimal digits. */
const File = Type.Object({ type: Type.Literal("file"), path: Type.String({ pattern: "^/" }) }, strict);
const Server = Type.Object(
  {
    type: Type.Literal("tcp"),
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 0xffff }),
  },
  strict,
);
const Receiver = Type.Object(
  {
    name: Key,
    source: Type.Unknown(),
    format: Type.Optional(Type.Enum(["A", "B", "none"])),
    reportEveryMs: whole(0, 86_400_000),
    silentAfterMs: whole(1000, 31 * 86_400_000),
    meters: Type.Array(Type.Unknown(), { maxItems: 1000 }),
  },
  strict,
);
const places = (most: number): Type.TOptional<Type.TArray<Type.TUnknown>> =>
  Type.Optional(Type.Array(Type.Unknown(), { maxItems: most }));
const Root = Type.Object({ ports: places(16), receivers: places(16) }, strict);

export type SourceSettings = Type.Static<typeof File> | Type.Static<typeof Server>;

/** A receiver and the wireless meters that are devices. Durations in ms. */
export interface ReceiverSettings {
  readonly name: string;
  readonly source: SourceSettings;
  /** Found out from each frame if absent. */
  readonly format?: FrameFormat;
  /** A meter that sends more often is reported once in this time. */
  readonly reportEveryMs: number;
  /** A meter that is not heard for this long is unreachable. */
  readonly silentAfterMs: number;
  readonly meters: readonly MeterSettings[];
}

export interface Settings {
  readonly ports: readonly PortSettings[];
  readonly receivers: readonly ReceiverSettings[];
}

type SerialTransport = Required<Type.Static<typeof Serial>>;
type TcpTransport = Required<Type.Static<typeof Tcp>>;
export type SerialFormat = Format<(typeof baudRates)[number]>;

export interface MeterSettings {
  readonly id: string;
  readonly name: string;
  readonly address: number | SecondaryAddress;
  readonly key?: Uint8Array;
  /** Ms between two readings. */
  readonly readEveryMs?: number;
  /** The speed at which it is read; by default that of the bus. */
  readonly baudRate?: number;
}

/** A bus: one level converter or gateway, and the meters on it. Durations in ms. */
export interface PortSettings {
  readonly name: string;
  readonly transport: SerialTransport | TcpTransport;
  /** How much later than on the wire an answer may come. */
  readonly latencyMs: number;
  readonly readEveryMs: number;
  /** A meter is unreachable after this many failed readings in a row. */
  readonly unreachableAfter: number;
  readonly meters: readonly MeterSettings[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * Validates the settings and fills in defaults.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown): Settings {
  const { ports = [], receivers = [] } = checkedSetting(Root, settings, "");
  const read = ports.map((port, index) => readPort(port, `ports[${index}]`));
  const heard = receivers.map((receiver, index) => readReceiver(receiver, `receivers[${index}]`));
  const names = read.map(({ name }) => name);
  refuseDuplicates(names, "ports", "name");
  refuseDuplicates(
    heard.map(({ name }) => name),
    "receivers",
    "name",
  );
  const both = heard.findIndex(({ name }) => names.includes(name));
  if (both >= 0) refuseSetting(`receivers[${both}].name`, `"${heard[both]?.name}" is already in use`);
  refuseDuplicates(
    read.map(({ transport }, index) => (transport.type === "serial" ? transport.path : String(index))),
    "ports",
    "transport.path",
  );
  return { ports: read, receivers: heard };
}

/** Returns the serial ports among the buses. */
export function serialPorts(ports: readonly PortSettings[]): readonly UsedPort[] {
  return ports.flatMap(({ name, transport }) =>
    transport.type === "serial" ? [{ ...transport, name }] : [],
  );
}

function readReceiver(settings: unknown, path: string): ReceiverSettings {
  const { name, source, format, reportEveryMs, silentAfterMs, meters } = checkedSetting(
    Receiver,
    settings,
    path,
  );
  const type = (source as { readonly type?: unknown } | null | undefined)?.type;
  if (type !== "file" && type !== "tcp") refuseSetting(`${path}.source.type`, "must be one of file, tcp");
  const read = readMeters(meters, path);
  const speedy = read.findIndex(({ baudRate }) => baudRate !== undefined);
  if (speedy >= 0)
    refuseSetting(`${path}.meters[${speedy}].baudRate`, "a wireless meter has no speed to choose");
  const odd = read.findIndex(({ address }) => typeof address === "number");
  if (odd >= 0) refuseSetting(`${path}.meters[${odd}].serial`, "is missing: wireless meters have no address");
  return {
    name,
    source:
      type === "file"
        ? checkedSetting(File, source, `${path}.source`)
        : checkedSetting(Server, source, `${path}.source`),
    ...(format !== undefined && { format }),
    reportEveryMs: reportEveryMs ?? minuteMs,
    silentAfterMs: silentAfterMs ?? dayMs,
    meters: read,
  };
}

function readMeters(meters: readonly unknown[], path: string): readonly MeterSettings[] {
  const read = meters.map((meter, index) => readMeter(meter, `${path}.meters[${index}]`));
  refuseDuplicates(
    read.map(({ id }) => id),
    `${path}.meters`,
    "id",
  );
  return read;
}

function readPort(settings: unknown, path: string): PortSettings {
  const port = checkedSetting(Port, settings, path);
  const meters = readMeters(port.meters, path);
  const transport = readTransport(port.transport, `${path}.transport`);
  const odd = meters.findIndex(({ baudRate }) => baudRate !== undefined);
  if (odd >= 0 && transport.type === "tcp")
    refuseSetting(`${path}.meters[${odd}].baudRate`, "a gateway does not change the speed of its bus");
  return {
    name: port.name,
    transport,
    latencyMs: port.latencyMs ?? 200,
    readEveryMs: port.readEveryMs ?? hourMs,
    unreachableAfter: port.unreachableAfter ?? 2,
    meters,
  };
}

function readTransport(settings: unknown, path: string): PortSettings["transport"] {
  const type = (settings as { readonly type?: unknown } | null | undefined)?.type;
  if (type !== "serial" && type !== "tcp") refuseSetting(`${path}.type`, "must be one of serial, tcp");
  if (type === "tcp") return { baudRate: 2400, ...checkedSetting(transports.tcp, settings, path) };
  const usual = { baudRate: 2400, dataBits: 8, stopBits: 1, parity: "even" } as const;
  return { ...usual, ...checkedSetting(transports.serial, settings, path) };
}

function readMeter(settings: unknown, path: string): MeterSettings {
  const { id, name, address, serial, key, readEveryMs, baudRate, ...secondary } = checkedSetting(
    MeterSchema,
    settings,
    path,
  );
  const rest = {
    id,
    name,
    ...(key !== undefined && { key: fromHex(key) }),
    ...(readEveryMs !== undefined && { readEveryMs }),
    ...(baudRate !== undefined && { baudRate }),
  };
  if ((address === undefined) === (serial === undefined))
    refuseSetting(`${path}.address`, "a meter has either an address or a serial");
  if (serial !== undefined) return { ...rest, address: { id: serial, ...secondary } };
  const [odd] = Object.keys(secondary);
  if (odd !== undefined) refuseSetting(`${path}.${odd}`, "belongs to a serial, not to an address");
  return { ...rest, address: address as number };
}
