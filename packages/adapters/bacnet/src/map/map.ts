import type { AttributeName, Capability, DeviceClass } from "@ledge/model";
import { attribute } from "@ledge/model";
import type { Kind, ObjectType } from "./object-type.ts";
import { objectTypes } from "./object-type.ts";
import type { Conversion, Quantity } from "./units.ts";
import { conversion } from "./units.ts";

/** What an object is as a device of the hub. */
interface Row {
  readonly kind: Kind;
  readonly attribute: AttributeName;
  readonly quantity?: Quantity;
  readonly class: DeviceClass;
  /** Needs an object that can be written. */
  readonly control?: true;
  readonly capabilities: readonly Capability[];
}

const sensor = (
  name: AttributeName,
  quantity: Quantity,
  capability: Capability,
  deviceClass: DeviceClass = "MULTI_SENSOR",
): Row => ({ kind: "analog", attribute: name, quantity, class: deviceClass, capabilities: [capability] });
const contact = (name: AttributeName, capability: Capability, deviceClass: DeviceClass): Row => ({
  kind: "binary",
  attribute: name,
  class: deviceClass,
  capabilities: [capability],
});

/** The devices that an object can be, by the capability that a client chooses (wire-facts 1.1). */
export const rows: Readonly<Partial<Record<Capability, Row>>> = {
  TEMPERATURE: sensor("temperature", "temperature", "TEMPERATURE"),
  FLOW_TEMPERATURE: sensor("flowTemp", "temperature", "FLOW_TEMPERATURE"),
  HUMIDITY: sensor("humidity", "percent", "HUMIDITY"),
  SOIL_MOISTURE: sensor("soilMoisture", "percent", "SOIL_MOISTURE"),
  BATTERY_C: sensor("battery", "percent", "BATTERY_C"),
  CO2: sensor("co2Ppm", "concentration", "CO2", "CO2_SENSOR"),
  VOC: sensor("vocPpm", "concentration", "VOC"),
  LUX: sensor("lux", "illuminance", "LUX"),
  PRESSURE: sensor("pressure", "pressure", "PRESSURE"),
  MEASURE_POWER: sensor("power", "power", "MEASURE_POWER"),
  POWER_METER: sensor("totalPower", "energy", "POWER_METER"),
  VOLTAGE: sensor("voltage", "voltage", "VOLTAGE"),
  CURRENT: sensor("current", "current", "CURRENT"),
  FREQUENCY: sensor("frequency", "frequency", "FREQUENCY"),
  FLOW: sensor("flow", "flow", "FLOW"),
  FLOW_VOLUME: sensor("volume", "volume", "FLOW_VOLUME"),
  PM25: sensor("pm25", "dust", "PM25"),
  CONTROL_TEMPERATURE: {
    ...sensor("targetTemp", "temperature", "CONTROL_TEMPERATURE", "THERMOSTAT"),
    control: true,
  },
  VALVE: { ...sensor("openPct", "percent", "VALVE"), control: true },
  BLINDS: { ...sensor("liftPct", "percent", "BLINDS", "BLINDS"), control: true },
  BRIGHTNESS: { ...sensor("brightness", "fraction", "BRIGHTNESS", "LIGHT"), control: true },
  MOTION: contact("motion", "MOTION", "MOTION"),
  CONTACT: contact("open", "CONTACT", "CONTACT"),
  MOISTURE: contact("moisture", "MOISTURE", "MOISTURE"),
  SMOKE: contact("alert", "SMOKE", "SMOKE_ALARM"),
  CO: contact("coDetected", "CO", "CO"),
  TWILIGHT: contact("twilight", "TWILIGHT", "TWILIGHT"),
  LOW_TEMP: contact("lowTemp", "LOW_TEMP", "MULTI_SENSOR"),
  HIGH_TEMP: contact("highTemp", "HIGH_TEMP", "MULTI_SENSOR"),
  SIGNAL: contact("isOn", "SIGNAL", "SIGNAL"),
  CONTROL_POWER: {
    ...contact("isOn", "CONTROL_POWER", "POWER_SOCKET"),
    control: true,
    capabilities: ["ON_OFF", "CONTROL_POWER"],
  },
  CONTROL_LIGHT: {
    ...contact("isOn", "CONTROL_LIGHT", "LIGHT"),
    control: true,
    capabilities: ["ON_OFF", "CONTROL_LIGHT"],
  },
};

/** The capability under which any object is a device, with its value as an extra. */
export const anyCapability = "DEVICE" satisfies Capability;

/** An object that can be a device: what its device has said of it. */
export interface ObjectFacts {
  readonly type: ObjectType;
  /** The number of its engineering unit; analog objects have one. */
  readonly unit: number;
}

/** An object as a device: class, capabilities, and how its value becomes an attribute. */
export interface Mapping {
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  /** Undefined: the value is an extra. */
  readonly attribute: AttributeName | undefined;
  readonly conversion: Conversion;
  readonly writable: boolean;
}

/** Returns the names of what an object can be, for a client to choose from; the last is always `DEVICE`. */
export function possibleDevices(facts: ObjectFacts): readonly Capability[] {
  const fitting = (Object.keys(rows) as Capability[]).filter((name) => mappingOf(facts, name) !== undefined);
  return [...fitting, anyCapability];
}

/** Returns an object as the device that a client has chosen; undefined when it cannot be that. */
export function mappingOf({ type, unit }: ObjectFacts, capability: string): Mapping | undefined {
  const { kind, role } = objectTypes[type];
  const isInput = role === "input";
  const plain = { factor: 1, offset: 0 };
  if (capability === anyCapability) {
    const capabilities: Capability[] = ["DEVICE"];
    return {
      class: "MULTI_SENSOR",
      capabilities,
      attribute: undefined,
      conversion: plain,
      writable: !isInput,
    };
  }
  const row = Object.hasOwn(rows, capability) ? rows[capability as Capability] : undefined;
  if (row === undefined || row.kind !== kind || (row.control === true && isInput)) return undefined;
  const converts = row.quantity === undefined ? plain : conversion(row.quantity, unit);
  if (converts === undefined) return undefined;
  return {
    class: row.class,
    capabilities: ["DEVICE", ...row.capabilities],
    attribute: row.attribute,
    conversion: converts,
    // Nobody sets what a sensor measures, though the value could be written.
    writable: !isInput && (row.control === true || capability === "SIGNAL"),
  };
}

/** Returns whether an attribute may have a value, by the model and by physics. */
export function isPlausible(name: AttributeName, quantity: Quantity | undefined, value: number): boolean {
  const schema: { minimum?: unknown; maximum?: unknown } = { ...attribute(name)?.value };
  const least = typeof schema.minimum === "number" ? schema.minimum : -Infinity;
  const most = typeof schema.maximum === "number" ? schema.maximum : Infinity;
  const absoluteZero = quantity === "temperature" ? -273.15 : -Infinity;
  return Number.isFinite(value) && value >= Math.max(least, absoluteZero) && value <= most;
}

/** Returns the quantity that a capability measures. */
export function quantityOf(capability: string): Quantity | undefined {
  return Object.hasOwn(rows, capability) ? rows[capability as Capability]?.quantity : undefined;
}
