import type { Expose } from "./expose.ts";
import type { Meaning } from "./feature.ts";
import { choice, quantity, state } from "./feature.ts";

type Row = (expose: Expose) => Meaning | undefined;

/** Looks up the scale by the unit; without a known unit a value has no meaning. */
const inUnit =
  (scales: Readonly<Record<string, number>>, meaning: (scale: number) => Meaning): Row =>
  ({ unit }) => {
    const scale = scales[unit ?? ""];
    return scale === undefined ? undefined : meaning(scale);
  };

const alarm =
  (
    attribute: "alert" | "coDetected" | "moisture" | "motion" | "tamper",
    ...capabilities: Meaning["capabilities"]
  ): Row =>
  ({ on, off }) =>
    state(attribute, capabilities, on, off);

const both = ({ write, ...one }: Meaning, other: Meaning): Meaning => ({
  attributes: [...one.attributes, ...other.attributes],
  capabilities: [...one.capabilities, ...other.capabilities],
  read: (value, memory) => ({ ...one.read(value, memory), ...other.read(value, memory) }),
  ...(write && { write }),
});

const celsius = inUnit({ "°C": 1 }, () => quantity("temperature", ["TEMPERATURE"], 1, -273, 2000));
const percent = (row: Meaning): Row => inUnit({ "%": 1 }, () => row);

const fanModes = { off: 0, low: 1, medium: 2, high: 3, on: 4, auto: 5, smart: 6 };
const systemModes = { off: 0, auto: 1, heat: 2, emergency_heating: 2, cool: 3 };
const presets = { comfort: 0, eco: 1 };

const setpoint: Row = ({ least, most }) => ({
  attributes: ["targetTemp", "targetTemperature"],
  capabilities: ["THERMOSTAT", "CONTROL_TEMPERATURE"],
  read: (value) =>
    typeof value === "number" && value >= -50 && value <= 150
      ? { targetTemp: value, targetTemperature: value }
      : {},
  write(wanted) {
    const value = wanted["targetTemperature"] ?? wanted["targetTemp"];
    return typeof value === "number"
      ? Math.min(most ?? Infinity, Math.max(least ?? -Infinity, value))
      : undefined;
  },
});

/** Meanings of single properties by name. The hub has no attribute for others. */
const rows: Readonly<Record<string, Row>> = {
  temperature: celsius,
  local_temperature: celsius,
  humidity: percent(quantity("humidity", ["HUMIDITY"], 1, 0, 100)),
  pressure: inUnit({ Pa: 1, hPa: 100, kPa: 1000 }, (scale) => quantity("pressure", ["PRESSURE"], scale, 0)),
  illuminance: inUnit({ lx: 1 }, () => quantity("lux", ["LUX"], 1, 0)),
  co2: inUnit({ ppm: 1 }, () => quantity("co2Ppm", ["CO2"], 1, 0)),
  voc: inUnit({ ppm: 1, ppb: 0.001 }, (scale) => quantity("vocPpm", ["VOC"], scale, 0)),
  voc_index: () => quantity("voxIndex", ["VOX"], 1, 0, 500),
  nox_index: () => quantity("noxIndex", ["NOX"], 1, 0, 500),
  pm25: () => quantity("pm25", ["PM25"], 1, 0),
  occupancy: alarm("motion", "MOTION"),
  presence: alarm("motion", "MOTION"),
  vibration: alarm("motion", "SELF_MOTION"),
  // True means closed.
  contact: () => state("open", ["CONTACT"], false, true),
  water_leak: alarm("moisture", "MOISTURE"),
  smoke: alarm("alert", "SMOKE"),
  carbon_monoxide: alarm("coDetected", "CO"),
  // Zigbee has one zone type for carbon monoxide and for gas.
  gas: alarm("coDetected", "CO"),
  sos: alarm("alert", "EMERGENCY"),
  tamper: alarm("tamper"),
  battery: percent(quantity("battery", ["BATTERY_C"], 1, 0, 100)),
  battery_low: ({ on, off }) => state("batteryLow", ["BATTERY_U"], on, off),
  // Mains voltage is in V, battery voltage in mV.
  voltage: inUnit({ mV: 0.001 }, (scale) => quantity("batteryV", ["BATTERY_U"], scale, 1)),
  power: inUnit({ W: 1, kW: 1000 }, (scale) =>
    both(quantity("activePower", ["MEASURE_POWER"], scale), quantity("power", ["ACTIVE_POWER"], scale)),
  ),
  energy: inUnit({ kWh: 1, Wh: 0.001 }, (scale) => quantity("totalPower", ["POWER_METER"], scale, 0)),
  flow: inUnit({ "m³/h": 1000, "L/h": 1 }, (scale) => quantity("flow", ["FLOW"], scale)),
  water_consumed: inUnit({ "m³": 1000, L: 1 }, (scale) => quantity("volume", ["FLOW_VOLUME"], scale)),
  pi_heating_demand: percent(quantity("heatingDemand", ["THERMOSTAT"], 0.01, 0, 100)),
  occupied_heating_setpoint: setpoint,
  current_heating_setpoint: setpoint,
  system_mode: ({ values }) => choice("mode", ["HVAC", "CONTROL_MODE"], systemModes, values),
  fan_mode: ({ values }) => choice("fanMode", ["FAN_MODE"], fanModes, values),
  preset: ({ values }) =>
    Object.keys(presets).every((word) => values.includes(word))
      ? choice("preset", ["CONTROL_PRESET"], presets, values)
      : undefined,
  // Properties that set a siren; it does not report whether it sounds.
  warning: () => ({ attributes: [], capabilities: ["GENERATE_ALERT"], read: () => ({}) }),
  alarm: ({ type, on, off, isSettable }) =>
    type === "binary" && isSettable
      ? both(state("isOn", ["GENERATE_ALERT"], on, off), state("sirenOn", [], on, off))
      : undefined,
};

/** Returns the meaning of a single property; undefined when the hub has no attribute for it. */
export function meaningOf(expose: Expose): Meaning | undefined {
  return Object.hasOwn(rows, expose.name) ? rows[expose.name]?.(expose) : undefined;
}

/** A fan's mode, whatever its property is called. */
export function fanMode({ values }: Expose): Meaning {
  return choice("fanMode", ["FAN_MODE"], fanModes, values);
}
