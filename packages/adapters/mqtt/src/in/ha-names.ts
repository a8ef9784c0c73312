// Names of Home Assistant's MQTT discovery: https://www.home-assistant.io/integrations/mqtt/#supported-abbreviations-in-mqtt-discovery-messages

/** Full names by their abbreviations, of what this package reads. */
export const abbreviations: Readonly<Record<string, string>> = {
  avty: "availability",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  bri_cmd_t: "brightness_command_topic",
  bri_scl: "brightness_scale",
  bri_stat_t: "brightness_state_topic",
  bri_val_tpl: "brightness_value_template",
  cmd_t: "command_topic",
  cmps: "components",
  dev: "device",
  dev_cla: "device_class",
  ids: "identifiers",
  mdl: "model",
  mf: "manufacturer",
  o: "origin",
  p: "platform",
  pl_avail: "payload_available",
  pl_cls: "payload_close",
  pl_lock: "payload_lock",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  pl_open: "payload_open",
  pl_stop: "payload_stop",
  pl_unlk: "payload_unlock",
  pos_clsd: "position_closed",
  pos_open: "position_open",
  pos_t: "position_topic",
  pos_tpl: "position_template",
  set_pos_t: "set_position_topic",
  stat_cla: "state_class",
  stat_locked: "state_locked",
  stat_off: "state_off",
  stat_on: "state_on",
  stat_t: "state_topic",
  stat_unlocked: "state_unlocked",
  stat_val_tpl: "state_value_template",
  t: "topic",
  uniq_id: "unique_id",
  unit_of_meas: "unit_of_measurement",
  val_tpl: "value_template",
};

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a message with full names and whole topics: `~` stands for the message's base. */
export function unabbreviated(said: Json, base: unknown = said["~"], depth = 0): Json {
  const full = (value: unknown): unknown => {
    if (isObject(value) && depth < 3) return unabbreviated(value, base, depth + 1);
    if (Array.isArray(value)) return value.map(full);
    if (typeof value !== "string" || typeof base !== "string") return value;
    return value.startsWith("~")
      ? base + value.slice(1)
      : value.endsWith("~")
        ? value.slice(0, -1) + base
        : value;
  };
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      Object.hasOwn(abbreviations, name) ? (abbreviations[name] ?? name) : name,
      full(value),
    ]),
  );
}

/** Attributes by the class of a sensor, with the scale for each unit. */
export const sensorClasses: Readonly<
  Record<string, readonly [attribute: string, scales: Readonly<Record<string, number>>]>
> = {
  temperature: ["temperature", { "°C": 1 }],
  humidity: ["humidity", { "%": 1 }],
  pressure: ["pressure", { Pa: 1, hPa: 100, mbar: 100, kPa: 1000, bar: 100_000 }],
  atmospheric_pressure: ["pressure", { Pa: 1, hPa: 100, mbar: 100, kPa: 1000 }],
  illuminance: ["lux", { lx: 1 }],
  carbon_dioxide: ["co2Ppm", { ppm: 1 }],
  volatile_organic_compounds_parts: ["vocPpm", { ppm: 1, ppb: 0.001 }],
  pm1: ["pm1", { "µg/m³": 1 }],
  pm25: ["pm25", { "µg/m³": 1 }],
  pm10: ["pm10", { "µg/m³": 1 }],
  moisture: ["soilMoisture", { "%": 1 }],
  battery: ["battery", { "%": 1 }],
  signal_strength: ["rssi", { dBm: 1 }],
  power: ["activePower", { W: 1, kW: 1000 }],
  energy: ["totalPower", { kWh: 1, Wh: 0.001, MWh: 1000 }],
  voltage: ["voltage", { V: 1, mV: 0.001 }],
  current: ["current", { A: 1, mA: 0.001 }],
  frequency: ["frequency", { Hz: 1 }],
  apparent_power: ["apparentPower", { VA: 1, kVA: 1000 }],
  reactive_power: ["reactivePower", { var: 1, kvar: 1000 }],
  volume_flow_rate: ["flow", { "m³/h": 1000, "L/h": 1, "L/min": 60 }],
  water: ["volume", { L: 1, "m³": 1000 }],
  distance: ["targetDistance", { m: 1, cm: 0.01, mm: 0.001 }],
  duration: ["uptime", { s: 1, min: 60, h: 3600, d: 86_400 }],
};

/** Attributes by the class of a binary sensor; `off`: it is true when the sensor is off. */
export const binaryClasses: Readonly<Record<string, readonly [attribute: string, trueWhen: "on" | "off"]>> = {
  motion: ["motion", "on"],
  occupancy: ["motion", "on"],
  presence: ["motion", "on"],
  door: ["open", "on"],
  garage_door: ["open", "on"],
  opening: ["open", "on"],
  window: ["open", "on"],
  moisture: ["moisture", "on"],
  smoke: ["alert", "on"],
  carbon_monoxide: ["coDetected", "on"],
  gas: ["coDetected", "on"],
  tamper: ["tamper", "on"],
  battery: ["batteryLow", "on"],
  light: ["twilight", "off"],
};
