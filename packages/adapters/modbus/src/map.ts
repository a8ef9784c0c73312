import type { AttributeName, Capability, DeviceClass } from "@ledge/model";
import { attribute } from "@ledge/model";
import type { Quantity } from "./units.ts";

/** The quantity that an attribute measures, and the capabilities that a point of it gives a device. */
interface AttributeRow {
  readonly quantity: Quantity;
  /** Capabilities from any point. */
  readonly sensed?: readonly Capability[];
  /** Capabilities from a writable point. */
  readonly controlled?: readonly Capability[];
}

type Phase = "" | "A" | "B" | "C";

/** The rows of a reading of the mains as a whole and by phase. */
function phases<Name extends string>(name: Name, row: AttributeRow): Record<`${Name}${Phase}`, AttributeRow> {
  const rows = ["", "A", "B", "C"].map((phase) => [name + phase, row]);
  return Object.fromEntries(rows) as Record<`${Name}${Phase}`, AttributeRow>;
}

/** The attributes that registers can hold: every one of the model that is a single number or boolean. */
export const attributeRows: Readonly<Partial<Record<AttributeName, AttributeRow>>> = {
  isOn: { quantity: "state", controlled: ["ON_OFF"] },
  brightness: { quantity: "fraction", controlled: ["BRIGHTNESS"] },
  temperature: { quantity: "temperature", sensed: ["TEMPERATURE"] },
  motion: { quantity: "state", sensed: ["MOTION"] },
  humidity: { quantity: "percent", sensed: ["HUMIDITY"] },
  moisture: { quantity: "state", sensed: ["MOISTURE"] },
  open: { quantity: "state", sensed: ["CONTACT"] },
  twilight: { quantity: "state", sensed: ["TWILIGHT"] },
  lux: { quantity: "illuminance", sensed: ["LUX"] },
  alert: { quantity: "state", sensed: ["SMOKE"] },
  co2Ppm: { quantity: "concentration", sensed: ["CO2"] },
  coDetected: { quantity: "state", sensed: ["CO"] },
  vocPpm: { quantity: "concentration", sensed: ["VOC"] },
  pressure: { quantity: "pressure", sensed: ["PRESSURE"] },
  batteryV: { quantity: "voltage", sensed: ["BATTERY_U"] },
  batteryLow: { quantity: "state", sensed: ["BATTERY_U"] },
  battery: { quantity: "percent", sensed: ["BATTERY_C"] },
  activePower: { quantity: "power", sensed: ["MEASURE_POWER"] },
  power: { quantity: "power", sensed: ["MEASURE_POWER"] },
  totalPower: { quantity: "energy", sensed: ["POWER_METER"] },
  powerToday: { quantity: "energy", sensed: ["POWER_METER"] },
  rssi: { quantity: "signal", sensed: ["RSSI"] },
  flow: { quantity: "flow", sensed: ["FLOW"] },
  volume: { quantity: "volume", sensed: ["FLOW_VOLUME"] },
  flowTemp: { quantity: "temperature", sensed: ["FLOW_TEMPERATURE"] },
  targetTemp: { quantity: "temperature", controlled: ["CONTROL_TEMPERATURE"] },
  targetTemperature: { quantity: "temperature", controlled: ["CONTROL_TEMPERATURE"] },
  heatingDemand: { quantity: "fraction", sensed: ["THERMOSTAT"] },
  mode: { quantity: "choice", controlled: ["CONTROL_MODE"] },
  preset: { quantity: "choice", controlled: ["CONTROL_PRESET"] },
  fanMode: { quantity: "choice", controlled: ["FAN_MODE"] },
  freshTemperature: { quantity: "temperature", sensed: ["VU"] },
  supplyTemperature: { quantity: "temperature", sensed: ["VU"] },
  extractTemperature: { quantity: "temperature", sensed: ["VU"] },
  fn_fireplace: { quantity: "state", controlled: ["VU_FN_FIREPLACE"] },
  position: { quantity: "fraction", controlled: ["BLINDS"] },
  liftPct: { quantity: "percent", controlled: ["BLINDS"] },
  tiltPct: { quantity: "percent", controlled: ["TILT"] },
  openPct: { quantity: "percent", controlled: ["VALVE"] },
  lowTemp: { quantity: "state", sensed: ["LOW_TEMP"] },
  highTemp: { quantity: "state", sensed: ["HIGH_TEMP"] },
  sirenOn: { quantity: "state", controlled: ["GENERATE_ALERT"] },
  ...phases("voltage", { quantity: "voltage", sensed: ["VOLTAGE"] }),
  ...phases("current", { quantity: "current", sensed: ["CURRENT"] }),
  ...phases("powerFactor", { quantity: "factor", sensed: ["POWER_FACTOR"] }),
  ...phases("apparentPower", { quantity: "apparent", sensed: ["APPARENT_POWER"] }),
  ...phases("reactivePower", { quantity: "reactive", sensed: ["REACTIVE_POWER"] }),
  ...phases("producedEnergy", { quantity: "energy", sensed: ["PRODUCED_ENERGY"] }),
  powerA: { quantity: "power", sensed: ["PHASES"] },
  powerB: { quantity: "power", sensed: ["PHASES"] },
  powerC: { quantity: "power", sensed: ["PHASES"] },
  energyA: { quantity: "energy", sensed: ["PHASES"] },
  energyB: { quantity: "energy", sensed: ["PHASES"] },
  energyC: { quantity: "energy", sensed: ["PHASES"] },
  frequency: { quantity: "frequency", sensed: ["FREQUENCY"] },
  soilMoisture: { quantity: "percent", sensed: ["SOIL_MOISTURE"] },
  deviceTemperature: { quantity: "temperature", sensed: ["DEVICE_TEMPERATURE"] },
  pm1: { quantity: "dust", sensed: ["PM1"] },
  pm25: { quantity: "dust", sensed: ["PM25"] },
  pm10: { quantity: "dust", sensed: ["PM10"] },
  formaldehyde: { quantity: "dust", sensed: ["FORMALDEHYDE"] },
  voxIndex: { quantity: "index", sensed: ["VOX"] },
  noxIndex: { quantity: "index", sensed: ["NOX"] },
  targetDistance: { quantity: "distance", sensed: ["TARGET_DISTANCE"] },
  powerOutages: { quantity: "choice", sensed: ["POWER_OUTAGES"] },
  uptime: { quantity: "time", sensed: ["UPTIME"] },
  windowOpen: { quantity: "state", sensed: ["WINDOW"] },
};

/** The attributes that are words: registers hold them as choices. */
export const wordRows: Readonly<Partial<Record<AttributeName, readonly Capability[]>>> = {
  runningState: ["RUNNING_STATE"],
  airQuality: ["AIR_QUALITY"],
};

/** The values that a point may hold, by the model and by physics. */
export interface ValueRange {
  readonly boolean: boolean;
  readonly integer: boolean;
  readonly least: number;
  readonly most: number;
}

/** An attribute with its values, quantity and capabilities. */
export interface MappedAttribute extends ValueRange {
  readonly name: AttributeName;
  readonly quantity: Quantity;
  readonly sensed: readonly Capability[];
  readonly controlled: readonly Capability[];
}

/** Returns how registers hold an attribute for a class of device; undefined when they cannot. */
export function mappedAttribute(name: string, deviceClass: DeviceClass): MappedAttribute | undefined {
  const row = Object.hasOwn(attributeRows, name) ? attributeRows[name as AttributeName] : undefined;
  if (row === undefined) return undefined;
  const { sensed = [], controlled = [] } = row;
  const known = {
    name: name as AttributeName,
    quantity: row.quantity,
    sensed,
    controlled,
    ...rangeOf(name, row.quantity),
  };
  // A lamp's temperature is a colour and can be set (wire-facts 1.1).
  if (deviceClass === "LIGHT" && name === "temperature") {
    return {
      ...known,
      quantity: "colourTemperature",
      sensed: [],
      controlled: ["COLOR_TEMP"],
      least: 1,
      most: 1e6,
    };
  }
  return { ...known, ...classCapabilities(known, deviceClass) };
}

function classCapabilities(
  { name, sensed, controlled }: MappedAttribute,
  deviceClass: DeviceClass,
): Pick<MappedAttribute, "sensed" | "controlled"> {
  if (name !== "isOn") return { sensed, controlled };
  if (deviceClass === "SIGNAL") return { sensed: ["SIGNAL"], controlled };
  if (deviceClass === "POWER_SOCKET") return { sensed, controlled: [...controlled, "CONTROL_POWER"] };
  if (deviceClass === "LIGHT") return { sensed, controlled: [...controlled, "CONTROL_LIGHT"] };
  return { sensed, controlled };
}

function rangeOf(name: string, quantity: Quantity): ValueRange {
  const schema: { type?: unknown; minimum?: unknown; maximum?: unknown } = { ...attribute(name)?.value };
  const absoluteZero = quantity === "temperature" ? -273.15 : -Infinity;
  return {
    boolean: schema.type === "boolean",
    integer: schema.type === "integer",
    least: Math.max(typeof schema.minimum === "number" ? schema.minimum : -Infinity, absoluteZero),
    most: typeof schema.maximum === "number" ? schema.maximum : Infinity,
  };
}
