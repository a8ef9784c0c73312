import Type from "typebox";
import { attribute } from "./capability.ts";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Device } from "./device-object.ts";
import { isSettable } from "./device-state.ts";
import { extraOf, isExtra } from "./extra.ts";
import { limits } from "./limits.ts";
import { Id, orNull, unchangedIfNull } from "./schema.ts";

/** How a value stands in registers, and how many it takes. */
const registers = { bool: 1, u16: 1, s16: 1, u32: 2, s32: 2, f32: 2 } as const;
type DataType = keyof typeof registers;

/** The tables by their numbers in `registerType`, as in PAIR_MODBUS: the functions that read them. */
export const modbusTables = { coil: 1, discrete: 2, holding: 3, input: 4 } as const;

/**
 * MODBUS_TCP_MAPPING: one attribute of a device in a table of the hub's Modbus TCP server. `register` is the address in
 * the frame. A number in registers is value / `scale`. `writable`: clients may set it; by default coils and holding
 * registers of attributes that can be set.
 */
export const ModbusTcpMapping = Type.Object({
  type: Type.Literal("MODBUS_TCP_MAPPING"),
  deviceId: Id,
  attribute: Type.String({ minLength: 1, maxLength: limits.modbusAttributeChars }),
  registerType: Type.Integer({ minimum: 1, maximum: 4 }),
  register: Type.Integer({ minimum: 0, maximum: 0xffff }),
  /** The unit that has it; null: every unit that has nothing else there. */
  unit: orNull(Type.Integer({ minimum: 0, maximum: 255 })),
  dataType: Type.Enum(Object.keys(registers) as DataType[]),
  scale: Type.Number(),
  wordOrder: Type.Enum(["big", "little"]),
  writable: Type.Boolean(),
});
export type ModbusTcpMapping = Type.Static<typeof ModbusTcpMapping>;

/** As clients send it. By default numbers are f32 in two registers, the most significant first. */
export const SetModbusTcpMapping = Type.Object({
  type: Type.Optional(Type.Literal("MODBUS_TCP_MAPPING")),
  deviceId: Id,
  attribute: ModbusTcpMapping.properties.attribute,
  registerType: ModbusTcpMapping.properties.registerType,
  register: ModbusTcpMapping.properties.register,
  unit: unchangedIfNull(Type.Integer({ minimum: 0, maximum: 255 })),
  dataType: unchangedIfNull(ModbusTcpMapping.properties.dataType),
  scale: unchangedIfNull(Type.Number()),
  wordOrder: unchangedIfNull(ModbusTcpMapping.properties.wordOrder),
  writable: unchangedIfNull(Type.Boolean()),
});
type Wanted = Type.Static<typeof SetModbusTcpMapping>;

/** An IPv4 or IPv6 address, or a network in CIDR notation. */
const Network = Type.String({ pattern: "^[0-9a-fA-F.:]{2,45}(/\\d{1,3})?$" });

const settings = {
  enabled: Type.Boolean(),
  port: Type.Integer({ minimum: 1, maximum: 0xffff }),
  /** Who may connect; nobody else can. */
  allow: Type.Array(Network, { maxItems: limits.modbusAllowed }),
};

/** MODBUS_TCP_SERVER: the hub's own Modbus TCP server. */
export interface ModbusServer {
  readonly id: string;
  readonly enabled: boolean;
  readonly port: number;
  readonly allow: readonly string[];
  readonly mappings: readonly ModbusTcpMapping[];
}

declare module "./states.ts" {
  interface States {
    modbusServer: ModbusServer;
  }
}

/** The id of the only instance. */
export const modbusServerId = "modbusServer";

/** Off, and open to nobody. */
export const defaultModbusServer: ModbusServer = {
  id: modbusServerId,
  enabled: false,
  port: 502,
  allow: [],
  mappings: [],
};

export const SetModbusServer = Type.Object({
  type: Type.Literal("SET_MODBUS_TCP_SERVER"),
  enabled: unchangedIfNull(settings.enabled),
  port: unchangedIfNull(settings.port),
  allow: unchangedIfNull(settings.allow),
});

/** Replaces all mappings; `add` puts them beside those of other places. */
export const SetModbusTcpMappings = Type.Object({
  type: Type.Literal("SET_MODBUS_TCP_MAPPINGS"),
  mappings: Type.Array(SetModbusTcpMapping, { maxItems: limits.modbusMappings }),
  add: unchangedIfNull(Type.Boolean()),
});

export type ModbusServerCommand =
  | Type.Static<typeof SetModbusServer>
  | Type.Static<typeof SetModbusTcpMappings>;

const ModbusServerSet = defineEvent("ModbusServerSet", 1, settings);
const ModbusMappingsSet = defineEvent("ModbusMappingsSet", 1, { mappings: Type.Array(ModbusTcpMapping) });

export type ModbusServerEvent = EventOf<typeof ModbusServerSet> | EventOf<typeof ModbusMappingsSet>;

export const modbusServer: Decider<ModbusServer, ModbusServerCommand, ModbusServerEvent> = {
  kind: "modbusServer",
  commands: ["SET_MODBUS_TCP_SERVER", "SET_MODBUS_TCP_MAPPINGS"],
  events: [ModbusServerSet, ModbusMappingsSet],

  target: () => modbusServerId,

  decide(command, state = defaultModbusServer, world) {
    const id = modbusServerId;
    if (command.type === "SET_MODBUS_TCP_SERVER") {
      const { enabled, port, allow } = {
        enabled: command.enabled ?? state.enabled,
        port: command.port ?? state.port,
        allow: command.allow ?? state.allow,
      };
      const wrong = allow.findIndex((network) => !isNetwork(network));
      if (wrong >= 0)
        return reject("invalid", `${allow[wrong]} is no address and no network`, `allow.${wrong}`);
      if (enabled && allow.length === 0)
        return reject("invalid", "names no network: nobody could connect", "allow");
      const isAsBefore =
        enabled === state.enabled && port === state.port && String(allow) === String(state.allow);
      return isAsBefore ? [] : [{ type: "ModbusServerSet", id, enabled, port, allow: [...allow] }];
    }
    const mappings: ModbusTcpMapping[] = [];
    for (const [index, wanted] of command.mappings.entries()) {
      const mapped = completed(wanted, world.get("device", wanted.deviceId));
      if ("rejected" in mapped) return { ...mapped, field: `mappings.${index}.${mapped.field}` };
      const taken = mappings.find((other) => overlap(mapped, other));
      if (taken !== undefined)
        return reject(
          "invalid",
          `${mapped.register} is that of ${taken.attribute} of ${taken.deviceId}`,
          `mappings.${index}.register`,
        );
      mappings.push(mapped);
    }
    const all = command.add === true ? added(state.mappings, mappings) : mappings;
    if (all.length > limits.modbusMappings)
      return reject("invalid", `at most ${limits.modbusMappings} mappings`, "mappings");
    return all.length === state.mappings.length &&
      all.every((each, index) => isSame(each, state.mappings[index]))
      ? []
      : [{ type: "ModbusMappingsSet", id, mappings: all }];
  },

  evolve(state = defaultModbusServer, event) {
    if (event.type === "ModbusMappingsSet") return { ...state, mappings: event.mappings };
    const { enabled, port, allow } = event;
    return { ...state, enabled, port, allow };
  },
};

/** Returns whether a mapping is in coils or discrete inputs. */
export function isBitMapping({ registerType }: Pick<ModbusTcpMapping, "registerType">): boolean {
  return registerType === modbusTables.coil || registerType === modbusTables.discrete;
}

/** Returns how many addresses of its table a mapping takes. */
export function mappedCount(mapping: Pick<ModbusTcpMapping, "registerType" | "dataType">): number {
  return isBitMapping(mapping) ? 1 : registers[mapping.dataType];
}

/** Puts mappings beside those of other places; what is mapped as wanted stays where it is in the list. */
function added(known: readonly ModbusTcpMapping[], wanted: readonly ModbusTcpMapping[]): ModbusTcpMapping[] {
  const fresh = wanted.filter((mapped) => !known.some((other) => isSame(mapped, other)));
  return [...known.filter((other) => !fresh.some((mapped) => overlap(mapped, other))), ...fresh];
}

const fields = Object.keys(ModbusTcpMapping.properties) as (keyof ModbusTcpMapping)[];

function isSame(a: ModbusTcpMapping, b: ModbusTcpMapping | undefined): boolean {
  return b !== undefined && fields.every((field) => a[field] === b[field]);
}

function overlap(a: ModbusTcpMapping, b: ModbusTcpMapping): boolean {
  if (a.registerType !== b.registerType || a.unit !== b.unit) return false;
  return a.register < b.register + mappedCount(b) && b.register < a.register + mappedCount(a);
}

type Rejected = ReturnType<typeof reject>;

function completed(wanted: Wanted, device: Device | undefined): ModbusTcpMapping | Rejected {
  const { deviceId, registerType, register, attribute: name } = wanted;
  if (device === undefined) return reject("not-found", `no device ${deviceId}`, "deviceId");
  const isBoolean = isBooleanOf(name, device);
  if (isBoolean === undefined)
    return reject("invalid", `${name} is no number and no boolean of this device`, "attribute");
  const isTableWritable = registerType === modbusTables.coil || registerType === modbusTables.holding;
  const writable = isTableWritable && isSettable(device, name);
  if (wanted.writable === true && !writable)
    return reject("invalid", isTableWritable ? `${name} cannot be set` : "is a table to read", "writable");
  if (isBitMapping(wanted) && !isBoolean)
    return reject("invalid", `${name} is no boolean, which a bit can hold`, "registerType");
  const scale = wanted.scale ?? 1;
  if (scale === 0 || !Number.isFinite(scale))
    return reject("invalid", "must be a number other than 0", "scale");
  const dataType = isBoolean ? "bool" : (wanted.dataType ?? "f32");
  if ((wanted.dataType === "bool") !== isBoolean && wanted.dataType)
    return reject("invalid", isBoolean ? "must be bool" : "must be a number", "dataType");
  const mapping: ModbusTcpMapping = {
    type: "MODBUS_TCP_MAPPING",
    deviceId,
    attribute: name,
    registerType,
    register,
    unit: wanted.unit ?? null,
    dataType,
    scale,
    wordOrder: wanted.wordOrder ?? "big",
    writable: wanted.writable ?? writable,
  };
  if (register + mappedCount(mapping) > 0x10000)
    return reject("invalid", `${dataType} from ${register} on ends beyond 65535`, "register");
  return mapping;
}

/** Whether an attribute of a device is a boolean, or a number; undefined for what registers cannot hold. */
function isBooleanOf(name: string, { state }: Device): boolean | undefined {
  const extra = extraOf(state, name);
  const schema: { readonly type?: unknown } = { ...attribute(name)?.value };
  const kind = extra?.fieldType ?? schema.type;
  if (isExtra(name) && extra === undefined) return undefined;
  if (kind === "boolean" || kind === "BOOL") return true;
  return kind === "number" || kind === "integer" || kind === "NUMBER" ? false : undefined;
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const isV6 = address.includes(":");
  if (more.length > 0 || (bits !== undefined && !(Number(bits) <= (isV6 ? 128 : 32)))) return false;
  return isV6 ? isV6Address(address) : isV4Address(address);
}

/** Some read 010 as 8, and Node refuses it: so does the hub. */
function isV4Address(address: string): boolean {
  const parts = address.split(".");
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

function isV6Address(address: string): boolean {
  const halves = address.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (halves.length > 2 || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}
