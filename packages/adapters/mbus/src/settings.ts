import { fromHex, type SecondaryAddress } from "@ledge/mbus";
import { limits } from "@ledge/model";
import { refuseSetting } from "@ledge/port";
import Type from "typebox";
import { checked } from "./checked.ts";

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
  },
  strict,
);

const serialFormat = {
  baudRate: Type.Optional(Type.Enum([...baudRates])),
  dataBits: Type.Optional(Type.Union([Type.Literal(7), Type.Literal(8)])),
  stopBits: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
  parity: Type.Optional(Type.Enum(["none", "even", "odd"])),
};
/** A level converter at a serial port. */
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
const Root = Type.Object({ ports: Type.Array(Type.Unknown(), { maxItems: 16 }) }, strict);

export type SerialTransport = Required<Type.Static<typeof Serial>>;
export type TcpTransport = Required<Type.Static<typeof Tcp>>;
export type SerialFormat = Pick<SerialTransport, "baudRate" | "dataBits" | "stopBits" | "parity">;

export interface MeterSettings {
  readonly id: string;
  readonly name: string;
  readonly address: number | SecondaryAddress;
  readonly key?: Uint8Array;
  /** Ms between two readings. */
  readonly readEveryMs?: number;
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

const hourMs = 3_600_000;

/**
 * Validates the settings and fills in defaults.
 * @param settings the adapter's part of a profile, parsed from JSON
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown): readonly PortSettings[] {
  const { ports } = checked(Root, settings, "");
  const read = ports.map((port, index) => readPort(port, `ports[${index}]`));
  refuseDuplicates(
    read.map(({ name }) => name),
    "ports",
    "name",
  );
  refuseDuplicates(
    read.map(({ transport }, index) => (transport.type === "serial" ? transport.path : String(index))),
    "ports",
    "transport.path",
  );
  return read;
}

function readPort(settings: unknown, path: string): PortSettings {
  const port = checked(Port, settings, path);
  const meters = port.meters.map((meter, index) => readMeter(meter, `${path}.meters[${index}]`));
  refuseDuplicates(
    meters.map(({ id }) => id),
    `${path}.meters`,
    "id",
  );
  return {
    name: port.name,
    transport: readTransport(port.transport, `${path}.transport`),
    latencyMs: port.latencyMs ?? 200,
    readEveryMs: port.readEveryMs ?? hourMs,
    unreachableAfter: port.unreachableAfter ?? 2,
    meters,
  };
}

function readTransport(settings: unknown, path: string): PortSettings["transport"] {
  const type = (settings as { readonly type?: unknown } | null | undefined)?.type;
  if (type !== "serial" && type !== "tcp") refuseSetting(`${path}.type`, "must be one of serial, tcp");
  if (type === "tcp") return { baudRate: 2400, ...checked(transports.tcp, settings, path) };
  const usual = { baudRate: 2400, dataBits: 8, stopBits: 1, parity: "even" } as const;
  return { ...usual, ...checked(transports.serial, settings, path) };
}

function readMeter(settings: unknown, path: string): MeterSettings {
  const { id, name, address, serial, key, readEveryMs, ...secondary } = checked(MeterSchema, settings, path);
  const rest = {
    id,
    name,
    ...(key !== undefined && { key: fromHex(key) }),
    ...(readEveryMs !== undefined && { readEveryMs }),
  };
  if ((address === undefined) === (serial === undefined))
    refuseSetting(`${path}.address`, "a meter has either an address or a serial");
  if (serial !== undefined) return { ...rest, address: { id: serial, ...secondary } };
  const [odd] = Object.keys(secondary);
  if (odd !== undefined) refuseSetting(`${path}.${odd}`, "belongs to a serial, not to an address");
  return { ...rest, address: address as number };
}

function refuseDuplicates(keys: readonly string[], path: string, field: string): void {
  const index = keys.findIndex((key, position) => keys.indexOf(key) !== position);
  if (index >= 0) refuseSetting(`${path}[${index}].${field}`, `"${keys[index]}" is already in use`);
}
