import type { Capability, DeviceClass } from "@ledge/model";
import { attribute, capabilities as knownCapabilities } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import { refuseSetting } from "@ledge/port";
import type { MappedAttribute } from "./map.ts";
import { mappedAttribute } from "./map.ts";
import type { BooleanCoding, NumberCoding, Point, Table } from "./point.ts";
import { registerCount } from "./registers.ts";
import type { DeviceSettings, PointSettings } from "./settings.ts";
import { conversion, unitsOf } from "./units.ts";

/** A device as it is polled and announced. */
export interface DeviceMap {
  readonly address: number;
  readonly pollMs: number;
  readonly points: readonly Point[];
  readonly description: DeviceDescription;
}

/**
 * Validates a device's settings and maps them to points and a description.
 * @param port the name of its line, the first part of its native id.
 * @param path where the settings are, for errors.
 * @throws AdapterError `settings`
 */
export function mapDevice(port: string, device: DeviceSettings, path: string): DeviceMap {
  const deviceClass = classOf(device);
  const attributes = new Map<MappedAttribute, Point>();
  for (const [index, settings] of pointsOf(device, path).entries()) {
    const at = "points" in device ? `${path}.points[${index}]` : path;
    const mapped = mappedAttribute(settings.attribute, deviceClass);
    if (mapped === undefined)
      return refuseSetting(`${at}.attribute`, `registers cannot hold "${settings.attribute}"`);
    if ([...attributes.keys()].some(({ name }) => name === mapped.name)) {
      return refuseSetting(`${at}.attribute`, `"${mapped.name}" already has a point`);
    }
    attributes.set(mapped, mapPoint(mapped, settings, at));
  }
  const given = "capabilities" in device ? device.capabilities : undefined;
  const capabilities =
    given === undefined ? derived(attributes) : checkedCapabilities(given, attributes, path);
  return {
    address: device.address,
    pollMs: device.pollMs ?? 1000,
    points: [...attributes.values()],
    description: {
      native: `${port}/${device.id}`,
      radio: port,
      class: deviceClass,
      capabilities,
      name: device.name,
      manufacturer: device.manufacturer ?? null,
      model: device.model ?? null,
    },
  };
}

function classOf(device: DeviceSettings): DeviceClass {
  if (device.deviceType === "RELAY") return "POWER_SOCKET";
  return device.deviceType === "REGISTERS" ? device.class : device.deviceType;
}

/**
 * Describes every kind of device as points. `normallyOff: false`: the device is on while its register is 0.
 */
function pointsOf(device: DeviceSettings, path: string): readonly PointSettings[] {
  if ("points" in device) return device.points;
  const { register, registerType: table, normallyOff = true } = device;
  const output = device.deviceType === "RELAY" || (device.output ?? table === "coil");
  if (output && table === "discrete") refuseSetting(`${path}.output`, "a discrete input cannot be written");
  const type = table === "holding" ? { type: "bool" as const } : {};
  return [{ attribute: "isOn", table, register, ...type, inverted: !normallyOff, writable: output }];
}

function mapPoint(mapped: MappedAttribute, settings: PointSettings, path: string): Point {
  const { table, register, writable = false, minChange = 0 } = settings;
  if (writable && table !== "coil" && table !== "holding")
    refuseSetting(`${path}.writable`, `a ${table} cannot be written`);
  if (writable && mapped.controlled.length === 0)
    refuseSetting(`${path}.writable`, `${mapped.name} cannot be set`);
  const coding = mapped.boolean ? booleanCoding(settings, path) : numberCoding(mapped, settings, path);
  const count = coding.kind === "number" ? registerCount(coding.format.type) : 1;
  if (register + count > 0x10000)
    refuseSetting(`${path}.register`, `${count} registers from ${register} on end beyond 65535`);
  return { attribute: mapped.name, table, register, count, writable, minChange, coding };
}

function booleanCoding(settings: PointSettings, path: string): BooleanCoding {
  const { table, type = isBits(table) ? "bool" : undefined, bit, inverted = false, writable } = settings;
  if (type !== "bool") refuseSetting(`${path}.type`, `must be bool for ${settings.attribute}`);
  if (bit !== undefined && isBits(table)) refuseSetting(`${path}.bit`, `a ${table} is already a single bit`);
  if (bit !== undefined && writable === true)
    refuseSetting(`${path}.bit`, "one bit of a register cannot be written");
  for (const field of [
    "scale",
    "offset",
    "unit",
    "wordOrder",
    "byteOrder",
    "noValue",
    "minChange",
  ] as const) {
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "applies to numbers only");
  }
  return { kind: "boolean", bit, inverted };
}

function numberCoding(mapped: MappedAttribute, settings: PointSettings, path: string): NumberCoding {
  const { table, type, wordOrder = "big", byteOrder = "big", scale = 1, offset = 0, noValue = [] } = settings;
  if (isBits(table)) return refuseSetting(`${path}.table`, `a ${table} cannot hold ${mapped.name}`);
  if (type === undefined || type === "bool")
    return refuseSetting(`${path}.type`, `must be a number type for ${mapped.name}`);
  if (scale === 0) refuseSetting(`${path}.scale`, "must not be 0");
  for (const field of ["bit", "inverted"] as const) {
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "applies to booleans only");
  }
  const unit = conversion(mapped.quantity, settings.unit);
  if (unit === undefined)
    return refuseSetting(`${path}.unit`, `must be one of ${unitsOf(mapped.quantity).join(", ")}`);
  return {
    kind: "number",
    format: { type, wordOrder, byteOrder },
    scale,
    offset,
    unit,
    range: mapped,
    noValue,
  };
}

const isBits = (table: Table): boolean => table === "coil" || table === "discrete";

function derived(points: ReadonlyMap<MappedAttribute, Point>): Capability[] {
  const all = [...points].flatMap(([mapped, point]) => [
    ...mapped.sensed,
    ...(point.writable ? mapped.controlled : []),
  ]);
  return [...new Set<Capability>(["DEVICE", ...all])];
}

function checkedCapabilities(
  given: readonly string[],
  points: ReadonlyMap<MappedAttribute, Point>,
  path: string,
): Capability[] {
  const names: readonly string[] = knownCapabilities;
  const unknown = given.findIndex((name) => !names.includes(name));
  if (unknown >= 0)
    refuseSetting(`${path}.capabilities[${unknown}]`, `"${given[unknown]}" is not a capability`);
  for (const { attribute: name, writable } of points.values()) {
    const settableBy: readonly string[] = attribute(name)?.settableBy ?? [];
    if (writable && !settableBy.some((capability) => given.includes(capability))) {
      refuseSetting(`${path}.capabilities`, `one of ${settableBy.join(", ")} is needed to set ${name}`);
    }
  }
  return [...new Set(["DEVICE", ...given])] as Capability[];
}
