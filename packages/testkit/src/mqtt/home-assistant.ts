// What Home Assistant accepts of each component in MQTT discovery, written down from its documentation of the MQTT
// integrations and of device classes (home-assistant.io, https://www.home-assistant.io/integrations/mqtt/).

type Kind =
  | "text"
  | "template"
  | "topic"
  | "bool"
  | "int"
  | "number"
  | "texts"
  | "map"
  | "list"
  | "null-text";

interface Component {
  readonly required: readonly string[];
  readonly optional: Readonly<Record<string, Kind | readonly unknown[]>>;
}

const common = {
  name: "null-text",
  unique_id: "text",
  object_id: "text",
  icon: "text",
  qos: "int",
  encoding: "text",
  enabled_by_default: "bool",
  entity_category: ["config", "diagnostic"],
  availability: "list",
  availability_mode: ["all", "any", "latest"],
  availability_topic: "topic",
  availability_template: "template",
  payload_available: "text",
  payload_not_available: "text",
  json_attributes_topic: "topic",
  json_attributes_template: "template",
  device: "map",
  origin: "map",
} as const;

const stateful = { state_topic: "topic", value_template: "template" } as const;
const commandable = {
  command_topic: "topic",
  command_template: "template",
  retain: "bool",
  optimistic: "bool",
} as const;

const binaryClasses = [
  "battery battery_charging carbon_monoxide cold connectivity door garage_door gas heat light lock moisture",
  "motion moving occupancy opening plug power presence problem running safety smoke sound tamper update",
  "vibration window",
].flatMap((line) => line.split(" "));

/** The classes of sensors, with their units; null: none. */
const sensorUnits: Readonly<Record<string, readonly (string | null)[]>> = {
  apparent_power: ["mVA", "VA", "kVA"],
  aqi: [null],
  battery: ["%"],
  carbon_dioxide: ["ppm"],
  carbon_monoxide: ["ppb", "ppm", "mg/m³", "µg/m³"],
  current: ["A", "mA"],
  distance: ["km", "m", "cm", "mm", "mi", "nmi", "yd", "in"],
  duration: ["d", "h", "min", "s", "ms", "µs"],
  energy: ["J", "kJ", "MJ", "GJ", "mWh", "Wh", "kWh", "MWh", "GWh", "TWh", "cal", "kcal", "Mcal", "Gcal"],
  enum: [null],
  frequency: ["mHz", "Hz", "kHz", "MHz", "GHz"],
  humidity: ["%"],
  illuminance: ["lx"],
  moisture: ["%"],
  pm1: ["µg/m³"],
  pm10: ["µg/m³"],
  pm25: ["µg/m³"],
  power: ["mW", "W", "kW", "MW", "GW", "TW"],
  power_factor: [null, "%"],
  pressure: ["Pa", "hPa", "kPa", "bar", "cbar", "mbar", "mmHg", "inHg", "psi"],
  reactive_power: ["mvar", "var", "kvar"],
  signal_strength: ["dB", "dBm"],
  temperature: ["°C", "°F", "K"],
  volatile_organic_compounds: ["µg/m³", "mg/m³"],
  volatile_organic_compounds_parts: ["ppm", "ppb"],
  voltage: ["V", "mV", "µV", "kV", "MV"],
  volume: ["L", "mL", "gal", "m³", "ft³", "CCF"],
  volume_flow_rate: ["m³/h", "m³/min", "m³/s", "ft³/min", "L/h", "L/min", "L/s", "mL/s", "gal/min"],
  water: ["L", "gal", "m³", "ft³", "CCF"],
};

/** Classes of sensors that only ever grow, or are counted: their state classes. */
const totals: ReadonlySet<string> = new Set(["energy", "water", "volume"]);

const components: Readonly<Record<string, Component>> = {
  binary_sensor: {
    required: ["state_topic"],
    optional: {
      ...stateful,
      device_class: binaryClasses,
      payload_on: "text",
      payload_off: "text",
      expire_after: "int",
      off_delay: "int",
      force_update: "bool",
    },
  },
  button: {
    required: ["command_topic"],
    optional: {
      command_topic: "topic",
      command_template: "template",
      payload_press: "text",
      retain: "bool",
      device_class: ["identify", "restart", "update"],
    },
  },
  climate: {
    required: [],
    optional: {
      action_template: "template",
      action_topic: "topic",
      current_humidity_template: "template",
      current_humidity_topic: "topic",
      current_temperature_template: "template",
      current_temperature_topic: "topic",
      fan_mode_command_template: "template",
      fan_mode_command_topic: "topic",
      fan_mode_state_template: "template",
      fan_mode_state_topic: "topic",
      fan_modes: "texts",
      initial: "number",
      max_temp: "number",
      min_temp: "number",
      mode_command_template: "template",
      mode_command_topic: "topic",
      mode_state_template: "template",
      mode_state_topic: "topic",
      modes: "texts",
      optimistic: "bool",
      payload_on: "text",
      payload_off: "text",
      precision: [0.1, 0.5, 1],
      preset_mode_command_template: "template",
      preset_mode_command_topic: "topic",
      preset_mode_state_topic: "topic",
      preset_mode_value_template: "template",
      preset_modes: "texts",
      retain: "bool",
      temperature_command_template: "template",
      temperature_command_topic: "topic",
      temperature_state_template: "template",
      temperature_state_topic: "topic",
      temperature_unit: ["C", "F"],
      temp_step: "number",
    },
  },
  cover: {
    required: [],
    optional: {
      command_topic: "topic",
      optimistic: "bool",
      retain: "bool",
      device_class: [
        "awning",
        "blind",
        "curtain",
        "damper",
        "door",
        "garage",
        "gate",
        "shade",
        "shutter",
        "window",
      ],
      payload_open: "null-text",
      payload_close: "null-text",
      payload_stop: "null-text",
      position_closed: "int",
      position_open: "int",
      position_template: "template",
      position_topic: "topic",
      set_position_template: "template",
      set_position_topic: "topic",
      state_topic: "topic",
      state_open: "text",
      state_opening: "text",
      state_closed: "text",
      state_closing: "text",
      state_stopped: "text",
      value_template: "template",
      tilt_closed_value: "int",
      tilt_command_template: "template",
      tilt_command_topic: "topic",
      tilt_max: "int",
      tilt_min: "int",
      tilt_opened_value: "int",
      tilt_optimistic: "bool",
      tilt_status_template: "template",
      tilt_status_topic: "topic",
    },
  },
  event: {
    required: ["state_topic", "event_types"],
    optional: { ...stateful, event_types: "texts", device_class: ["button", "doorbell", "motion"] },
  },
  light: {
    required: ["command_topic", "schema"],
    optional: {
      schema: ["json"],
      state_topic: "topic",
      command_topic: "topic",
      retain: "bool",
      optimistic: "bool",
      brightness: "bool",
      brightness_scale: "int",
      effect: "bool",
      effect_list: "texts",
      flash_time_long: "int",
      flash_time_short: "int",
      max_mireds: "int",
      min_mireds: "int",
      supported_color_modes: "texts",
      white_scale: "int",
    },
  },
  lock: {
    required: ["command_topic"],
    optional: {
      ...stateful,
      ...commandable,
      code_format: "text",
      payload_lock: "text",
      payload_unlock: "text",
      payload_open: "text",
      payload_reset: "text",
      state_locked: "text",
      state_unlocked: "text",
      state_locking: "text",
      state_unlocking: "text",
      state_jammed: "text",
    },
  },
  number: {
    required: ["command_topic"],
    optional: {
      ...stateful,
      ...commandable,
      min: "number",
      max: "number",
      step: "number",
      mode: ["auto", "box", "slider"],
      device_class: Object.keys(sensorUnits),
      unit_of_measurement: "text",
      payload_reset: "text",
    },
  },
  scene: { required: [], optional: { command_topic: "topic", payload_on: "text", retain: "bool" } },
  select: {
    required: ["command_topic", "options"],
    optional: { ...stateful, ...commandable, options: "texts" },
  },
  sensor: {
    required: ["state_topic"],
    optional: {
      ...stateful,
      device_class: Object.keys(sensorUnits),
      expire_after: "int",
      force_update: "bool",
      last_reset_value_template: "template",
      options: "texts",
      state_class: ["measurement", "total", "total_increasing"],
      suggested_display_precision: "int",
      unit_of_measurement: "text",
    },
  },
  siren: {
    required: [],
    optional: {
      ...commandable,
      state_topic: "topic",
      state_value_template: "template",
      command_off_template: "template",
      available_tones: "texts",
      payload_on: "text",
      payload_off: "text",
      state_on: "text",
      state_off: "text",
      support_duration: "bool",
      support_volume_set: "bool",
    },
  },
  switch: {
    required: ["command_topic"],
    optional: {
      ...stateful,
      ...commandable,
      device_class: ["outlet", "switch"],
      payload_on: "text",
      payload_off: "text",
      state_on: "text",
      state_off: "text",
    },
  },
  text: {
    required: ["command_topic"],
    optional: {
      ...stateful,
      command_topic: "topic",
      command_template: "template",
      retain: "bool",
      min: "int",
      max: "int",
      mode: ["text", "password"],
      pattern: "text",
    },
  },
  valve: {
    required: [],
    optional: {
      ...stateful,
      ...commandable,
      device_class: ["gas", "water"],
      payload_close: "null-text",
      payload_open: "null-text",
      payload_stop: "text",
      position_closed: "int",
      position_open: "int",
      reports_position: "bool",
      state_closed: "text",
      state_closing: "text",
      state_open: "text",
      state_opening: "text",
    },
  },
};

const colorModes = new Set("onoff brightness color_temp hs xy rgb rgbw rgbww white".split(" "));
const climateModes = new Set("auto off cool heat dry fan_only heat_cool".split(" "));
const deviceKeys = new Set(
  [
    "identifiers connections name manufacturer model model_id serial_number hw_version sw_version suggested_area",
    "via_device configuration_url",
  ].flatMap((line) => line.split(" ")),
);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** A topic to publish to or to subscribe to, as both are without wildcards here. */
const isTopic = (value: unknown): boolean =>
  isText(value) && !["+", "#", "\0"].some((each) => value.includes(each)) && value.length < 65_536;

/** Braces and brackets that belong together, outside of which is plain text. */
const isTemplate = (value: unknown): boolean =>
  isText(value) && (value.match(/\{\{/g)?.length ?? 0) === (value.match(/\}\}/g)?.length ?? 0);

const checks: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => isText(value),
  "null-text": (value) => value === null || isText(value),
  topic: isTopic,
  template: isTemplate,
  bool: (value) => typeof value === "boolean",
  int: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number" && Number.isFinite(value),
  texts: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => isText(each)),
  map: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  list: (value) => Array.isArray(value) && value.length > 0,
};

type Json = Readonly<Record<string, unknown>>;

/** Returns what Home Assistant would refuse or warn about in a discovery message; empty: nothing. */
export function faultsOf(topic: string, payload: string, prefix = "homeassistant"): readonly string[] {
  const levels = topic.split("/");
  const [start, component = "", node = "", object = "", last] = levels;
  if (start !== prefix || last !== "config" || levels.length !== 5)
    return [`${topic}: is no topic of discovery`];
  const faults: string[] = [];
  for (const id of [node, object])
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) faults.push(`${topic}: "${id}" is no id`);
  const known = Object.hasOwn(components, component) ? components[component] : undefined;
  if (known === undefined) return [`${topic}: there is no component ${component}`];
  const config = JSON.parse(payload) as Json;
  const allowed: Component["optional"] = { ...common, ...known.optional };
  for (const name of [...known.required, "unique_id", "device", "origin"])
    if (config[name] === undefined) faults.push(`${topic}: ${name} is missing`);
  for (const [name, value] of Object.entries(config)) {
    const kind = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (kind === undefined) faults.push(`${topic}: ${name} is unknown to ${component}`);
    else if (typeof kind === "string" ? !checks[kind](value) : !kind.includes(value))
      faults.push(`${topic}: ${name} cannot be ${JSON.stringify(value)}`);
  }
  faults.push(...sharedFaults(config).map((fault) => `${topic}: ${fault}`));
  faults.push(...(special[component]?.(config) ?? []).map((fault) => `${topic}: ${fault}`));
  return faults;
}

function sharedFaults(config: Json): readonly string[] {
  const faults: string[] = [];
  const device = config["device"] as Json;
  if (!Array.isArray(device["identifiers"]) || device["identifiers"].length === 0)
    faults.push("device has no identifiers");
  for (const [name, value] of Object.entries(device)) {
    if (!deviceKeys.has(name)) faults.push(`device.${name} is unknown`);
    if (name !== "identifiers" && !isText(value)) faults.push(`device.${name} is no text`);
  }
  if (!isText((config["origin"] as Json)["name"])) faults.push("origin has no name");
  for (const each of (config["availability"] ?? []) as readonly Json[])
    if (!isTopic(each["topic"])) faults.push("availability has no topic");
  if (config["availability"] !== undefined && config["availability_topic"] !== undefined)
    faults.push("availability and availability_topic exclude each other");
  return faults;
}

const special: Readonly<Record<string, (config: Json) => readonly string[]>> = {
  light: ({
    supported_color_modes: modes,
    min_mireds: least,
    max_mireds: most,
    effect,
    effect_list: list,
  }) => {
    const all = (modes ?? []) as readonly string[];
    const faults = all.filter((mode) => !colorModes.has(mode)).map((mode) => `no colour mode ${mode}`);
    if (all.length > 1 && all.some((mode) => ["onoff", "brightness"].includes(mode)))
      faults.push("onoff and brightness stand alone");
    if (new Set(all).size < all.length) faults.push("a colour mode stands twice");
    if (typeof least === "number" && typeof most === "number" && least > most)
      faults.push("mireds are reversed");
    if ((effect === true) !== (list !== undefined)) faults.push("effect and effect_list go together");
    return faults;
  },
  sensor: ({
    device_class: of,
    unit_of_measurement: unit = null,
    state_class: state,
    value_template: template,
  }) => {
    const faults: string[] = [];
    const units = typeof of === "string" ? sensorUnits[of] : undefined;
    if (units !== undefined && !units.includes(unit as string | null))
      faults.push(`${String(of)} in ${String(unit)}`);
    if (state === "measurement" && typeof of === "string" && totals.has(of))
      faults.push(`${of} is no measurement`);
    if (String(state).startsWith("total") && typeof of === "string" && !totals.has(of))
      faults.push(`${of} is no total`);
    if (template === undefined) faults.push("shows the whole state");
    return faults;
  },
  climate: ({ modes = [], min_temp: least, max_temp: most }) => [
    ...(modes as readonly string[])
      .filter((mode) => !climateModes.has(mode))
      .map((mode) => `no mode ${mode}`),
    ...(typeof least === "number" && typeof most === "number" && least >= most
      ? ["no range of temperatures"]
      : []),
  ],
  cover: (config) => [
    ...(config["set_position_topic"] !== undefined && config["position_topic"] === undefined
      ? ["set_position_topic without position_topic"]
      : []),
    ...(config["command_topic"] === undefined &&
    config["set_position_topic"] === undefined &&
    config["tilt_command_topic"] === undefined
      ? ["takes nothing"]
      : []),
  ],
  number: ({ min = 1, max = 100, device_class: of, unit_of_measurement: unit = null }) => [
    ...(Number(min) >= Number(max) ? ["min is not below max"] : []),
    ...(typeof of === "string" && sensorUnits[of]?.includes(unit as string | null) === false
      ? [`${of} in another unit`]
      : []),
  ],
  valve: ({ reports_position: reports, payload_open: open, payload_close: close }) =>
    reports === true && (open !== undefined || close !== undefined) ? ["a position excludes payloads"] : [],
};
