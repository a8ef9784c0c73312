import type { Entity, Wanted } from "./entity.ts";
import { can, has, numberOf } from "./entity.ts";
import type { ServedDevice } from "./home.ts";

type Json = Readonly<Record<string, unknown>>;

/** Home Assistant's words for the numbers of the hub's modes. */
const modes: Readonly<Record<number, string>> = {
  0: "off",
  1: "auto",
  2: "heat",
  3: "cool",
  5: "fan_only",
  6: "dry",
};
const fanModes = ["off", "low", "medium", "high", "on", "auto", "smart"];
const presets = ["comfort", "eco", "fireplace"];
const ventilation = ["stopped", "low", "standard", "high", "boost"];
/** What a thermostat does, by the words that devices have for it. */
const actions: Readonly<Record<string, string>> = {
  idle: "idle",
  heat: "heating",
  heating: "heating",
  cool: "cooling",
  cooling: "cooling",
  fan_only: "fan",
  fan: "fan",
  dry: "drying",
  off: "off",
};

/** Setpoints that any room may have; what a device refuses is told. */
const range = { min_temp: 5, max_temp: 35, temp_step: 0.5 };

const target = (device: ServedDevice): string =>
  has(device, "targetTemp") || !has(device, "targetTemperature") ? "targetTemp" : "targetTemperature";
/** A ventilation unit counts its modes in another way. */
const isVentilation = (device: ServedDevice): boolean => can(device, "VU");
const hasModes = (device: ServedDevice): boolean =>
  can(device, "HVAC", "AIRCON", "CONTROL_MODE") && !isVentilation(device);

/** Returns the entity of a thermostat or an air-conditioner. */
export function climateOf({ device, places, takes }: Wanted): readonly Entity[] {
  if (!takes(target(device))) return [];
  const state = places.part("climate");
  const command_topic = places.setPart("climate");
  const part = (name: string, value: string): Json => ({
    [`${name}_state_topic`]: state,
    [`${name}_state_template`]: read(value),
    [`${name}_command_topic`]: command_topic,
    [`${name}_command_template`]: `{"${value}": {{ value | tojson }}}`,
  });
  const config = {
    ...part("temperature", "temperature"),
    ...range,
    temperature_unit: "C",
    current_temperature_topic: state,
    current_temperature_template: read("current"),
    ...(hasModes(device) && takes("mode")
      ? { ...part("mode", "mode"), modes: Object.values(modes) }
      : { mode_state_topic: state, mode_state_template: read("mode"), modes: ["heat"] }),
    ...(takes("fanMode") && { ...part("fan_mode", "fan_mode"), fan_modes: fanModes }),
    ...(takes("preset") && {
      preset_modes: presets,
      preset_mode_state_topic: state,
      preset_mode_value_template: read("preset"),
      preset_mode_command_topic: command_topic,
      preset_mode_command_template: '{"preset": {{ value | tojson }}}',
    }),
    ...(has(device, "runningState") && { action_topic: state, action_template: read("action") }),
  };
  return [{ component: "climate", key: "climate", name: null, config }];
}

function read(name: string): string {
  return `{{ value_json['${name}'] }}`;
}

/** Returns the state of a thermostat in the words of Home Assistant. */
export function climateState(device: ServedDevice): Json {
  const word = (list: readonly string[], attribute: string): string | null =>
    list[numberOf(device, attribute) ?? -1] ?? null;
  const said = device.state["runningState"];
  return {
    temperature: numberOf(device, target(device)) ?? null,
    current: can(device, "COLOR_TEMP") ? null : (numberOf(device, "temperature") ?? null),
    mode: hasModes(device) ? (modes[numberOf(device, "mode") ?? -1] ?? null) : "heat",
    ...(has(device, "fanMode") && { fan_mode: word(fanModes, "fanMode") }),
    ...(has(device, "preset") && { preset: word(presets, "preset") }),
    ...(typeof said === "string" && { action: Object.hasOwn(actions, said) ? actions[said] : null }),
  };
}

/** Returns the attributes that Home Assistant's command to a thermostat sets, or why not. */
export function climateCommand(command: unknown): Json | string {
  if (typeof command !== "object" || command === null) return "must be a JSON object";
  const wanted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(command)) {
    const set = Object.hasOwn(climateCommands, name) ? climateCommands[name]?.(value) : undefined;
    if (set === undefined) return `${name}: cannot be ${JSON.stringify(value)}`;
    Object.assign(wanted, set);
  }
  return Object.keys(wanted).length > 0 ? wanted : "says nothing";
}

const numberedBy =
  (attribute: string, list: readonly string[]) =>
  (value: unknown): Json | undefined => {
    const number = list.indexOf(String(value));
    return number < 0 ? undefined : { [attribute]: number };
  };

const climateCommands: Readonly<Record<string, (value: unknown) => Json | undefined>> = {
  temperature: (value) => {
    const celsius = typeof value === "string" && value !== "" ? Number(value) : value;
    return typeof celsius === "number" && Number.isFinite(celsius) ? { targetTemp: celsius } : undefined;
  },
  mode: (value) => {
    const found = Object.entries(modes).find(([, word]) => word === value);
    return found && { mode: Number(found[0]) };
  },
  fan_mode: numberedBy("fanMode", fanModes),
  preset: numberedBy("preset", presets),
};

/** What a device chooses among words, and is no part of a thermostat. */
export function choicesOf(wanted: Wanted): readonly Entity[] {
  const { device } = wanted;
  const isClimate = climateOf(wanted).length > 0;
  return [
    ...(isVentilation(device) ? choice(wanted, "mode", "Mode", ventilation) : []),
    ...(isClimate ? [] : choice(wanted, "fanMode", "Fan", fanModes)),
    ...(isClimate ? [] : choice(wanted, "preset", "Preset", presets)),
    ...(!isClimate && hasModes(device)
      ? choice(
          wanted,
          "mode",
          "Mode",
          Array.from({ length: 7 }, (_, number) => modes[number] ?? ""),
        )
      : []),
  ];
}

function choice(
  { device, places, takes }: Wanted,
  attribute: string,
  name: string,
  list: readonly string[],
): readonly Entity[] {
  if (!has(device, attribute) || !takes(attribute)) return [];
  const options = list.filter((word) => word !== "");
  const config = {
    state_topic: places.state,
    value_template: `{{ ${JSON.stringify(list)}[value_json['${attribute}']] if value_json['${attribute}'] is number else None }}`,
    command_topic: places.setOne(attribute),
    command_template: `{{ ${JSON.stringify(list)}.index(value) }}`,
    options,
  };
  return [{ component: "select", key: attribute, name, config }];
}
