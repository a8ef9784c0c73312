import type { AttributeName, Capability } from "@ledge/model";
import type { Expose } from "./expose.ts";
import type { Meaning } from "./feature.ts";
import { choice, clean, named, quantity, silent, state } from "./feature.ts";
import { gradientOf } from "./gradient.ts";

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
  ({ type, on, off }) =>
    type === "binary" ? state(attribute, capabilities, on, off) : undefined;

const both = ({ write, ...one }: Meaning, other: Meaning): Meaning => ({
  attributes: [...one.attributes, ...other.attributes],
  capabilities: [...one.capabilities, ...other.capabilities],
  read: (value, memory) => ({ ...one.read(value, memory), ...other.read(value, memory) }),
  ...(write && { write }),
});

const celsius = inUnit({ "°C": 1 }, () => quantity("temperature", ["TEMPERATURE"], 1, -273, 2000));
const percent = (row: Meaning): Row => inUnit({ "%": 1 }, () => row);

const fanModes = { off: 0, low: 1, medium: 2, high: 3, on: 4, auto: 5, smart: 6 };
const systemModes = { off: 0, auto: 1, heat: 2, emergency_heating: 2, cool: 3, fan_only: 5, dry: 6 };
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

type Phase = "" | "A" | "B" | "C";

/** Rows for a reading of the mains: of all, and of each phase by the names that definitions use. */
function mains(name: string, row: (phase: Phase) => Row): Readonly<Record<string, Row>> {
  const phases = (["A", "B", "C"] as const).flatMap((phase) => {
    const letter = phase.toLowerCase();
    const names = [`${name}_${letter}`, `${name}_phase_${letter}`];
    return names.map((each) => [each, row(phase)] as const);
  });
  return { [name]: row(""), ...Object.fromEntries(phases) };
}

const inMains =
  (
    name: "voltage" | "current" | "apparentPower" | "reactivePower" | "producedEnergy",
    capability: Capability,
    scales: Readonly<Record<string, number>>,
  ) =>
  (phase: Phase): Row =>
    inUnit(scales, (scale) => quantity(`${name}${phase}`, [capability], scale));

/** Definitions give it as a fraction or in percent, and some do not say which. */
const powerFactor =
  (phase: Phase): Row =>
  ({ unit }) => ({
    attributes: [`powerFactor${phase}`],
    capabilities: ["POWER_FACTOR"],
    read(value) {
      if (typeof value !== "number" || !(Math.abs(value) <= 100)) return {};
      return { [`powerFactor${phase}`]: unit === "%" || Math.abs(value) > 1 ? clean(value / 100) : value };
    },
  });

const power = { W: 1, kW: 1000 };
const energy = { kWh: 1, Wh: 0.001 };
const powerOf = (phase: Phase): Row =>
  inUnit(power, (scale) =>
    phase === ""
      ? both(quantity("activePower", ["MEASURE_POWER"], scale), quantity("power", ["ACTIVE_POWER"], scale))
      : quantity(`power${phase}`, ["PHASES"], scale),
  );
const energyOf = (phase: Phase): Row =>
  inUnit(energy, (scale) =>
    phase === ""
      ? quantity("totalPower", ["POWER_METER"], scale, 0)
      : quantity(`energy${phase}`, ["PHASES"], scale),
  );
const voltage = inMains("voltage", "VOLTAGE", { V: 1 });
const produced = inMains("producedEnergy", "PRODUCED_ENERGY", energy);

const dust = (attribute: AttributeName, capability: Capability): Row =>
  inUnit({ "µg/m³": 1, "μg/m³": 1, "ug/m3": 1, "mg/m³": 1000 }, (scale) =>
    quantity(attribute, [capability], scale, 0),
  );
const formaldehyde = dust("formaldehyde", "FORMALDEHYDE");
const distance = inUnit({ m: 1, cm: 0.01 }, (scale) =>
  quantity("targetDistance", ["TARGET_DISTANCE"], scale, 0),
);
const windowOpen: Row = ({ type, on, off }) =>
  type === "binary" ? state("windowOpen", ["WINDOW"], on, off) : undefined;

const effect: Row = ({ values }) => {
  const offered = values.filter((each): each is string => typeof each === "string" && each.length <= 64);
  return {
    ...named("effect", ["EFFECT"], offered),
    offered,
    write: ({ effect: wanted }) => (offered.includes(wanted as string) ? wanted : undefined),
  };
};

/** Its cluster makes a device identify itself. */
const identify = silent;

/** Meanings of single properties by name. The hub has no attribute for others. */
const rows: Readonly<Record<string, Row>> = {
  ...mains("current", inMains("current", "CURRENT", { A: 1, mA: 0.001 })),
  ...mains("power_factor", powerFactor),
  ...mains("power_apparent", inMains("apparentPower", "APPARENT_POWER", { VA: 1, kVA: 1000 })),
  ...mains("power_reactive", inMains("reactivePower", "REACTIVE_POWER", { VAR: 1, var: 1, kVAR: 1000 })),
  ...mains("produced_energy", produced),
  ...mains("energy_produced", produced),
  ...mains("power", powerOf),
  ...mains("energy", energyOf),
  ...mains("voltage", voltage),
  mains_voltage: voltage(""),
  ac_frequency: inUnit({ Hz: 1 }, () => quantity("frequency", ["FREQUENCY"], 1, 0)),
  soil_moisture: percent(quantity("soilMoisture", ["SOIL_MOISTURE"], 1, 0, 100)),
  device_temperature: inUnit({ "°C": 1 }, () =>
    quantity("deviceTemperature", ["DEVICE_TEMPERATURE"], 1, -273, 2000),
  ),
  pm1: dust("pm1", "PM1"),
  pm10: dust("pm10", "PM10"),
  formaldehyd: formaldehyde,
  formaldehyde,
  hcho: formaldehyde,
  air_quality: ({ values }) => named("airQuality", ["AIR_QUALITY"], values),
  target_distance: distance,
  distance,
  power_outage_count: () => ({
    attributes: ["powerOutages"],
    capabilities: ["POWER_OUTAGES"],
    read: (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? { powerOutages: value } : {}),
  }),
  uptime: inUnit({ s: 1, min: 60, h: 3600, Hours: 3600, d: 86_400 }, (scale) =>
    quantity("uptime", ["UPTIME"], scale, 0),
  ),
  window_open: windowOpen,
  window: windowOpen,
  lock_state: ({ values }) => named("lockState", ["LOCK_STATE"], values),
  effect,
  gradient: ({ type }) => (type === "list" ? gradientOf() : undefined),
  identify: () => identify,
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
  contact: ({ type }) => (type === "binary" ? state("open", ["CONTACT"], false, true) : undefined),
  water_leak: alarm("moisture", "MOISTURE"),
  smoke: alarm("alert", "SMOKE"),
  carbon_monoxide: alarm("coDetected", "CO"),
  // Zigbee has one zone type for carbon monoxide and for gas.
  gas: alarm("coDetected", "CO"),
  sos: alarm("alert", "EMERGENCY"),
  tamper: alarm("tamper"),
  battery: percent(quantity("battery", ["BATTERY_C"], 1, 0, 100)),
  battery_low: ({ on, off }) => state("batteryLow", ["BATTERY_U"], on, off),
  // Mains voltage is in V, battery voltage in mV; 65,535 mV is the invalid value of uint16.
  voltage: (expose) =>
    expose.unit === "mV" ? quantity("batteryV", ["BATTERY_U"], 0.001, 1, 65_534) : voltage("")(expose),
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
  warning: () => ({ ...silent, capabilities: ["GENERATE_ALERT"], isPart: true }),
  alarm: ({ type, on, off, isSettable }) =>
    type === "binary" && isSettable
      ? both(state("isOn", ["GENERATE_ALERT"], on, off), state("sirenOn", [], on, off))
      : undefined,
};

/** Returns the meaning of a single property; undefined when the hub has no attribute for it. */
export function meaningOf(expose: Expose): Meaning | undefined {
  return Object.hasOwn(rows, expose.name) ? rows[expose.name]?.(expose) : undefined;
}

/** What a thermostat does: for one that does not report its demand, also that. */
export function runningOf({ values }: Expose): readonly Meaning[] {
  const demand: Meaning = {
    attributes: ["heatingDemand"],
    capabilities: ["THERMOSTAT"],
    read: (value) => (value === "heat" ? { heatingDemand: 1 } : value === "idle" ? { heatingDemand: 0 } : {}),
    isFallback: true,
  };
  return [named("runningState", ["RUNNING_STATE"], values), demand];
}

/** A fan's mode, whatever its property is called. */
export function fanMode({ values }: Expose): Meaning {
  return choice("fanMode", ["FAN_MODE"], fanModes, values);
}
