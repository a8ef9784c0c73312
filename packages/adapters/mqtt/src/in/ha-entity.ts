import { isRecord, kelvinOf, miredOf } from "@ledge/exposes";
import { binaryClasses, sensorClasses } from "./ha-names.ts";
import { colourIn, colourOf } from "./colours.ts";
import { at, capabilitiesOf, numberIn, type Point } from "./point.ts";
import type { Availability } from "./pointed-device.ts";
import { brightnessIn, levelOf, liftIn, wantedLift } from "./scales.ts";
import type { Values } from "./source.ts";

const isTopic = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length < 1024 && !/[+#\0]/.test(value);

/**
 * Returns the path that a template reads in a JSON message; undefined for a template that computes something else.
 * Filters that only make a number of a value change nothing.
 */
export function pathOf(template: unknown): readonly string[] | undefined {
  if (template === undefined || template === null || template === "") return [];
  if (typeof template !== "string" || template.length > 256) return undefined;
  const found =
    /^\{\{-?\s*(value(?:_json)?)((?:\.\w+|\[(?:'[^']*'|"[^"]*"|\d+)\])*)\s*((?:\|[^|{}]*)*)-?\}\}$/.exec(
      template.trim(),
    );
  const [, root, steps = "", filters = ""] = found ?? [];
  const names = filters
    .split("|")
    .slice(1)
    .map((each) => each.trim().replace(/\(.*$/, ""));
  if (root === undefined || names.some((each) => !["float", "int", "round", "is_defined"].includes(each)))
    return undefined;
  if (root === "value") return steps === "" ? [] : undefined;
  const keys = [...steps.matchAll(/\.(\w+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]/g)];
  return keys.map(([, dotted, single, double, index]) => dotted ?? single ?? double ?? index ?? "");
}

/** Where a value of an entity comes from; undefined when it cannot be read. */
function place(config: Values, topic: string, template: string): Point["from"] {
  const [from, path] = [config[topic], pathOf(config[template])];
  return isTopic(from) && path !== undefined ? { topic: from, path } : undefined;
}

const word = (value: unknown, otherwise: string): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : otherwise;

/** Where an entity says whether it is there; what it says in another way is not heard. */
export function availabilityOf(config: Values): readonly Availability[] {
  const {
    availability,
    availability_topic: topic,
    payload_available: online,
    payload_not_available: offline,
  } = config;
  const listed = Array.isArray(availability)
    ? availability
    : isTopic(topic)
      ? [{ topic, value_template: config["availability_template"] }]
      : [];
  return listed.flatMap((each): readonly Availability[] => {
    const path = isRecord(each) ? pathOf(each["value_template"]) : undefined;
    if (!isRecord(each) || !isTopic(each["topic"]) || path === undefined) return [];
    return [
      {
        topic: each["topic"],
        path,
        online: word(each["payload_available"] ?? online, "online"),
        offline: word(each["payload_not_available"] ?? offline, "offline"),
      },
    ];
  });
}

/** What an entity is: values that are measured, or something that is commanded. */
export interface HaEntity {
  readonly points: readonly Point[];
  readonly isLamp: boolean;
  readonly isCommanded: boolean;
}

/** Returns the points of an entity; undefined for one that the hub has nothing for. */
export function entityOf(component: string, config: Values): HaEntity | undefined {
  const points = Object.hasOwn(components, component) ? components[component]?.(config) : undefined;
  if (points === undefined || points.length === 0) return undefined;
  return {
    points,
    isLamp: component === "light",
    isCommanded: component !== "sensor" && component !== "binary_sensor",
  };
}

/** Reads a boolean of two words; another word says nothing. */
const eitherOf =
  (attribute: string, yes: string, no: string): Point["read"] =>
  (value) =>
    String(value) === yes ? { [attribute]: true } : String(value) === no ? { [attribute]: false } : {};

const components: Readonly<Record<string, (config: Values) => readonly Point[]>> = {
  sensor: (config) => {
    const row = sensorClasses[String(config["device_class"])];
    const scale = row?.[1][word(config["unit_of_measurement"], "").replace("μ", "µ")];
    const from = place(config, "state_topic", "value_template");
    if (row === undefined || scale === undefined || from === undefined) return [];
    const [attribute] = row;
    const read = (value: unknown): Values => {
      const number = numberIn(value);
      if (number === undefined || (number < 0 && unsigned.has(attribute))) return {};
      if (percents.has(attribute) && number > 100) return {};
      return { [attribute]: Number((number * scale).toPrecision(12)) };
    };
    return [{ attributes: [attribute], capabilities: capabilitiesOf(attribute, false), from, read }];
  },
  binary_sensor: (config) => {
    const row = binaryClasses[String(config["device_class"])];
    const from = place(config, "state_topic", "value_template");
    if (row === undefined || from === undefined) return [];
    const [attribute, trueWhen] = row;
    const [on, off] = [word(config["payload_on"], "ON"), word(config["payload_off"], "OFF")];
    const read = trueWhen === "on" ? eitherOf(attribute, on, off) : eitherOf(attribute, off, on);
    return [{ attributes: [attribute], capabilities: capabilitiesOf(attribute, false), from, read }];
  },
  switch: (config) => onOff(config, false, "value_template"),
  light: (config) => (config["schema"] === "json" ? jsonLight(config) : plainLight(config)),
  cover: coverPoints,
  lock: (config) => {
    const from = place(config, "state_topic", "value_template");
    const topic = config["command_topic"];
    if (!isTopic(topic)) return [];
    const [locked, unlocked] = [
      word(config["state_locked"], "LOCKED"),
      word(config["state_unlocked"], "UNLOCKED"),
    ];
    const [lock, unlock] = [word(config["payload_lock"], "LOCK"), word(config["payload_unlock"], "UNLOCK")];
    return [
      {
        attributes: ["locked"],
        capabilities: capabilitiesOf("locked", false),
        ...(from && { from }),
        read: eitherOf("locked", locked, unlocked),
        write: (wanted) =>
          typeof wanted["locked"] === "boolean"
            ? { topic, payload: wanted["locked"] ? lock : unlock }
            : undefined,
      },
    ];
  },
};

const unsigned: ReadonlySet<string> = new Set([
  "lux",
  "co2Ppm",
  "vocPpm",
  "pm1",
  "pm25",
  "pm10",
  "humidity",
  "soilMoisture",
  "battery",
  "targetDistance",
  "uptime",
]);
const percents: ReadonlySet<string> = new Set(["humidity", "soilMoisture", "battery"]);

function onOff(config: Values, isLamp: boolean, template: string): readonly Point[] {
  const topic = config["command_topic"];
  if (!isTopic(topic)) return [];
  const from = place(config, "state_topic", template);
  const [on, off] = [word(config["payload_on"], "ON"), word(config["payload_off"], "OFF")];
  const [shownOn, shownOff] = [word(config["state_on"], on), word(config["state_off"], off)];
  return [
    {
      attributes: ["isOn"],
      capabilities: capabilitiesOf("isOn", isLamp),
      ...(from && { from }),
      read: eitherOf("isOn", shownOn, shownOff),
      write: ({ isOn }) => (typeof isOn === "boolean" ? { topic, payload: isOn ? on : off } : undefined),
    },
  ];
}

const scaleOf = (config: Values): number => {
  const scale = numberIn(config["brightness_scale"]);
  return scale !== undefined && scale > 1 ? scale : 255;
};

function plainLight(config: Values): readonly Point[] {
  const topic = config["brightness_command_topic"];
  const scale = scaleOf(config);
  const from = place(config, "brightness_state_topic", "brightness_value_template");
  const brightness: Point = {
    attributes: ["brightness"],
    capabilities: ["BRIGHTNESS"],
    ...(from && { from }),
    read: (value) => brightnessIn(value, scale),
    write: (wanted) =>
      typeof wanted["brightness"] === "number" && isTopic(topic)
        ? { topic, payload: String(levelOf(wanted["brightness"], scale)) }
        : undefined,
  };
  return [...onOff(config, true, "state_value_template"), ...(isTopic(topic) ? [brightness] : [])];
}

/** Colour modes in which a lamp takes red, green and blue, with white beside them or without. */
const rgbModes: ReadonlySet<unknown> = new Set(["rgb", "rgbw", "rgbww"]);

/** A lamp of ESPHome and others: one message has all of its state, and one takes all. */
function jsonLight(config: Values): readonly Point[] {
  const { command_topic: topic, state_topic: state, supported_color_modes: listed } = config;
  if (!isTopic(topic)) return [];
  const modes: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const scale = scaleOf(config);
  const hasWhite = modes.includes("color_temp");
  const colour = modes.includes("hs") ? "hs" : modes.some((mode) => rgbModes.has(mode)) ? "rgb" : undefined;
  const hasLevel = config["brightness"] === true || modes.some((mode) => mode !== "onoff");
  return [
    {
      attributes: ["isOn", "brightness", "temperature", "hue", "saturation"],
      capabilities: [
        ...capabilitiesOf("isOn", true),
        ...(colour === undefined ? [] : (["COLOR_HS"] as const)),
        ...(hasLevel ? (["BRIGHTNESS"] as const) : []),
        ...(hasWhite ? (["COLOR_TEMP"] as const) : []),
      ],
      ...(isTopic(state) && { from: { topic: state, path: [] } }),
      read: (value) => {
        const on = at(value, ["state"]);
        const mode = at(value, ["color_mode"]);
        const isWhite = mode === undefined || mode === "color_temp";
        const mired = hasWhite && isWhite ? numberIn(at(value, ["color_temp"])) : undefined;
        return {
          ...(on === "ON" && { isOn: true }),
          ...(on === "OFF" && { isOn: false }),
          ...(hasLevel && brightnessIn(at(value, ["brightness"]), scale)),
          ...(mired !== undefined &&
            mired >= 1 && { temperature: Math.round(kelvinOf(mired)), colorMode: "ct" }),
          ...(colour !== undefined && mode !== "color_temp" && colourIn(at(value, ["color"]))),
        };
      },
      write: (wanted, before) => {
        const { isOn, brightness, temperature } = wanted;
        const command: Record<string, unknown> = {};
        if (typeof brightness === "number") command["brightness"] = levelOf(brightness, scale);
        if (typeof temperature === "number" && temperature > 0) command["color_temp"] = miredOf(temperature);
        const said = colour === undefined ? undefined : colourOf(colour, wanted, before);
        if (said !== undefined) command["color"] = said;
        const isTold = typeof isOn === "boolean" || Object.keys(command).length > 0;
        return isTold
          ? { topic, payload: JSON.stringify({ state: isOn === false ? "OFF" : "ON", ...command }) }
          : undefined;
      },
    },
  ];
}

function coverPoints(config: Values): readonly Point[] {
  const { command_topic: command, set_position_topic: setTopic } = config;
  const [closed, open] = [numberIn(config["position_closed"]) ?? 0, numberIn(config["position_open"]) ?? 100];
  const from = place(config, "position_topic", "position_template");
  if (open === closed || (!isTopic(setTopic) && !isTopic(command))) return [];
  const words = { open: word(config["payload_open"], "OPEN"), close: word(config["payload_close"], "CLOSE") };
  const stop = config["payload_stop"] === null ? undefined : word(config["payload_stop"], "STOP");
  const lift: Point = {
    attributes: ["liftPct", "position"],
    capabilities: ["BLINDS", "LIFT"],
    ...(from && { from }),
    read: (value) => {
      const number = numberIn(value);
      return liftIn(number === undefined ? undefined : ((number - closed) / (open - closed)) * 100);
    },
    write: (wanted) => {
      const percent = wantedLift(wanted);
      if (percent === undefined) return undefined;
      if (isTopic(setTopic))
        return { topic: setTopic, payload: String(Math.round(closed + (percent / 100) * (open - closed))) };
      return isTopic(command)
        ? { topic: command, payload: percent >= 50 ? words.open : words.close }
        : undefined;
    },
  };
  if (stop === undefined || !isTopic(command)) return [lift];
  const stops: Point = {
    attributes: ["stop"],
    capabilities: ["COVER_STOP"],
    read: () => ({}),
    write: (wanted) => (wanted["stop"] === true ? { topic: command, payload: stop } : undefined),
  };
  return [lift, stops];
}
