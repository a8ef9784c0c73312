import type { DeviceClass } from "@ledge/model";
import { deviceClasses, limits } from "@ledge/model";
import { checkedSetting, refuseDuplicates, refuseSetting } from "@ledge/port";
import type { UsedPort } from "@ledge/serial";
import Type from "typebox";
import { pollMs, Point, Register } from "./point-settings.ts";

const strict = { additionalProperties: false } as const;
const duration = (minimum: number, maximum: number): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum, maximum }));

const Key = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" });
const Label = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });
/** `id` is part of the device's native id: another id is another device. `pollMs`: 1000 by default. */
const common = {
  id: Key,
  address: Type.Integer({ minimum: 0, maximum: 255 }),
  name: Label,
  manufacturer: Type.Optional(Label),
  model: Type.Optional(Label),
  pollMs,
};
const points = Type.Array(Point, { minItems: 1, maxItems: 64 });

/** A switched output. `normallyOff` (default true): off while the register is 0; false: on while it is 0. */
const Relay = Type.Object(
  {
    ...common,
    deviceType: Type.Literal("RELAY"),
    register: Register,
    registerType: Type.Enum(["coil", "holding"]),
    normallyOff: Type.Optional(Type.Boolean()),
  },
  strict,
);
/** A binary input or output: a coil is an output unless `output` is false. `normallyOff` as for a relay. */
const Signal = Type.Object(
  {
    ...common,
    deviceType: Type.Literal("SIGNAL"),
    register: Register,
    registerType: Type.Enum(["coil", "discrete"]),
    normallyOff: Type.Optional(Type.Boolean()),
    output: Type.Optional(Type.Boolean()),
  },
  strict,
);
/** A sensor with any number of values. */
const MultiSensor = Type.Object({ ...common, deviceType: Type.Literal("MULTI_SENSOR"), points }, strict);
/**
 * Any other device: a class and its points. The capabilities follow from the points unless they are given.
 */
const Registers = Type.Object(
  {
    ...common,
    deviceType: Type.Literal("REGISTERS"),
    class: Type.Enum(Object.keys(deviceClasses) as DeviceClass[]),
    capabilities: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
    points,
  },
  strict,
);
/**
 * Devices of a known model: see model-file.ts. `register` moves a model that can stand at any register. `without`:
 * parts that were removed. `pollMs`: its fast registers.
 */
const Modelled = Type.Object(
  {
    ...common,
    deviceType: Type.Literal("MODEL"),
    modelId: Key,
    register: Type.Optional(Register),
    without: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
  },
  strict,
);
const deviceSchemas = {
  RELAY: Relay,
  SIGNAL: Signal,
  MULTI_SENSOR: MultiSensor,
  REGISTERS: Registers,
  MODEL: Modelled,
};

export type ModelledSettings = Type.Static<typeof Modelled>;
/** A device that is described in full. */
export type PlainSettings =
  | Type.Static<typeof Relay>
  | Type.Static<typeof Signal>
  | Type.Static<typeof MultiSensor>
  | Type.Static<typeof Registers>;
export type DeviceSettings = PlainSettings | ModelledSettings;

const Tcp = Type.Object(
  {
    type: Type.Literal("tcp"),
    host: Type.String({ minLength: 1 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 0xffff })),
  },
  strict,
);
const serialFormat = {
  baudRate: Type.Optional(Type.Integer({ minimum: 300, maximum: 4_000_000 })),
  dataBits: Type.Optional(Type.Union([Type.Literal(7), Type.Literal(8)])),
  stopBits: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
  parity: Type.Optional(Type.Enum(["none", "even", "odd"])),
};
const Rtu = Type.Object(
  { type: Type.Literal("rtu"), path: Type.String({ minLength: 1 }), ...serialFormat },
  strict,
);
/** A serial device server that passes bytes on. The format is that of its line, for the time that frames take. */
const RtuOverTcp = Type.Object(
  {
    type: Type.Literal("rtuOverTcp"),
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 0xffff }),
    ...serialFormat,
  },
  strict,
);
const transportSchemas = { tcp: Tcp, rtu: Rtu, rtuOverTcp: RtuOverTcp };

const Port = Type.Object(
  {
    name: Key,
    transport: Type.Unknown(),
    timeoutMs: duration(20, 60_000),
    betweenRequestsMs: duration(0, 10_000),
    unreachableAfter: duration(1, 100),
    devices: Type.Array(Type.Unknown(), { maxItems: 1000 }),
  },
  strict,
);
/** `modelsFolder`: absolute path of the folder with users' models. */
const Root = Type.Object(
  {
    ports: Type.Array(Type.Unknown(), { maxItems: 32 }),
    modelsFolder: Type.Optional(Type.String({ pattern: "^/" })),
  },
  strict,
);

export type TcpTransport = Required<Type.Static<typeof Tcp>>;
export type RtuTransport = Required<Type.Static<typeof Rtu>>;
export type RtuOverTcpTransport = Required<Type.Static<typeof RtuOverTcp>>;

/** The usual speeds of serial lines: users choose among these, a profile may name others. */
export const baudRates = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200] as const;

/** A line: one serial port or one TCP connection, and the devices on it. Durations in ms. */
export interface PortSettings {
  readonly name: string;
  readonly transport: TcpTransport | RtuTransport | RtuOverTcpTransport;
  readonly timeoutMs: number;
  readonly betweenRequestsMs: number;
  /** A device is unreachable after this many failures in a row. */
  readonly unreachableAfter: number;
  readonly devices: readonly DeviceSettings[];
}

export interface Settings extends Omit<Type.Static<typeof Root>, "ports"> {
  readonly ports: readonly PortSettings[];
}

/**
 * Validates the settings and fills in defaults.
 * @param settings the adapter's part of a profile, parsed from JSON.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field, such as
 * `ports[0].devices[2].address`.
 */
export function readSettings(settings: unknown): Settings {
  const { ports, ...rest } = checkedSetting(Root, settings, "");
  const read = ports.map((port, index) => readPort(port, `ports[${index}]`));
  refuseDuplicates(
    read.map(({ name }) => name),
    "ports",
    "name",
  );
  refuseDuplicates(
    // A serial port can be opened only once; a TCP server may accept several connections.
    read.map(({ transport }, index) => (transport.type === "rtu" ? transport.path : String(index))),
    "ports",
    "transport.path",
  );
  return { ports: read, ...rest };
}

/** Returns the serial ports among the lines. */
export function serialPorts(ports: readonly PortSettings[]): readonly UsedPort[] {
  return ports.flatMap(({ name, transport }) => (transport.type === "rtu" ? [{ ...transport, name }] : []));
}

function readPort(settings: unknown, path: string): PortSettings {
  const port = checkedSetting(Port, settings, path);
  const transport = readTransport(port.transport, `${path}.transport`);
  const devices = port.devices.map((device, index) => {
    const at = `${path}.devices[${index}]`;
    const read = checkedSetting(deviceSchemas[variant(device, "deviceType", deviceSchemas, at)], device, at);
    checkAddress(read.address, transport.type, `${at}.address`);
    return read;
  });
  refuseDuplicates(
    devices.map(({ id }) => id),
    `${path}.devices`,
    "id",
  );
  return {
    name: port.name,
    transport,
    timeoutMs: port.timeoutMs ?? 1000,
    betweenRequestsMs: port.betweenRequestsMs ?? 0,
    unreachableAfter: port.unreachableAfter ?? 3,
    devices,
  };
}

function readTransport(settings: unknown, path: string): PortSettings["transport"] {
  const type = variant(settings, "type", transportSchemas, path);
  if (type === "tcp") return { port: 502, ...checkedSetting(Tcp, settings, path) };
  const usual = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: "none" } as const;
  if (type === "rtuOverTcp") return { ...usual, ...checkedSetting(RtuOverTcp, settings, path) };
  return { ...usual, ...checkedSetting(Rtu, settings, path) };
}

/**
 * Serial lines use 1..247. Over TCP 255 and 0 mean the server itself (TCP implementation guide v1.0b,
 * 4.4.2.1).
 */
function checkAddress(address: number, transport: keyof typeof transportSchemas, path: string): void {
  if (address >= 1 && address <= 247) return;
  if (transport !== "tcp") refuseSetting(path, "must be 1 to 247");
  if (address !== 0 && address !== 255)
    refuseSetting(path, "must be 1 to 247, or 0 or 255 for the TCP server itself");
}

function variant<T extends object>(value: unknown, field: string, schemas: T, path: string): keyof T {
  const word =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  if (typeof word === "string" && Object.hasOwn(schemas, word)) return word as keyof T;
  return refuseSetting(`${path}.${field}`, `must be one of ${Object.keys(schemas).join(", ")}`);
}
