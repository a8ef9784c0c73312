import { isRecord, kelvinOf, miredOf } from "@ledge/exposes";
import { capabilitiesOf, numberIn, type Point } from "./point.ts";
import { PointedDevices } from "./pointed-device.ts";
import { brightnessIn, levelOf, liftIn, wantedLift } from "./scales.ts";
import { jsonOf, type Sending, type Source, type SourceHost, type Values, wordOf } from "./source.ts";

/** What Tasmota says of a device in its discovery (https://tasmota.github.io/docs/MQTT/, SetOption19 0). */
interface Config {
  readonly mac: string;
  readonly names: readonly (string | null)[];
  readonly model: string | null;
  readonly command: string;
  readonly stat: string;
  readonly tele: string;
  readonly online: string;
  readonly offline: string;
  /** For each relay: 1 a switch, 2 a lamp, 3 half of a shutter. */
  readonly relays: readonly number[];
  /** 0 no lamp, 1 one colour, 2 white, 3 colours, 4 and 5 colours and white. */
  readonly lamp: number;
  readonly off: string;
  readonly on: string;
}

interface Known {
  readonly config: Config;
  readonly natives: readonly string[];
}

/** How many devices are remembered: whoever may write to the topics could name any number. */
const mostDevices = 1000;

/** Devices with the firmware Tasmota, by its own discovery. */
export class Tasmota implements Source {
  readonly topics: readonly string[];
  readonly #prefix: string;
  readonly #devices: PointedDevices;
  readonly #known = new Map<string, Known>();
  /** Sensors that were heard of before their device. */
  readonly #sensors = new Map<string, unknown>();

  constructor(prefix: string, host: SourceHost) {
    this.#prefix = prefix;
    this.#devices = new PointedDevices(host);
    this.topics = [`${prefix}/+/config`, `${prefix}/+/sensors`];
  }

  heard(topic: string, payload: Buffer): void {
    if (!topic.startsWith(`${this.#prefix}/`)) return this.#devices.heard(topic, payload);
    const [mac = "", part, ...rest] = topic.slice(this.#prefix.length + 1).split("/");
    if (rest.length > 0 || !/^[0-9A-Fa-f]{12}$/.test(mac)) return;
    const isGone = payload.length === 0;
    if (isGone && part === "config") return this.#remove(mac);
    const said = isGone ? {} : jsonOf(payload);
    if (!isRecord(said)) return;
    if (part === "sensors") this.#hear(mac, said["sn"]);
    const config = part === "config" ? configOf(said, mac) : this.#known.get(mac)?.config;
    if (config !== undefined) this.#put(config);
  }

  set(native: string, attributes: Values): readonly Sending[] | undefined {
    return this.#devices.set(native, attributes);
  }

  /** Remembers what a device measures. Of devices without a discovery, the one that was heard of first is forgotten. */
  #hear(mac: string, sensors: unknown): void {
    this.#sensors.delete(mac);
    if (sensors === undefined) return;
    if (this.#sensors.size >= mostDevices)
      for (const other of this.#sensors.keys())
        if (!this.#known.has(other)) {
          this.#sensors.delete(other);
          break;
        }
    if (this.#sensors.size < mostDevices) this.#sensors.set(mac, sensors);
  }

  #remove(mac: string): void {
    this.#sensors.delete(mac);
    for (const native of this.#known.get(mac)?.natives ?? []) this.#devices.remove(native);
    this.#known.delete(mac);
  }

  #put(config: Config): void {
    const { mac, names, model, tele, online, offline } = config;
    if (!this.#known.has(mac) && this.#known.size >= mostDevices) return;
    const sensors = this.#sensors.get(mac);
    const parts = partsOf(config);
    const [first = { key: "", isLamp: false, name: names[0] ?? mac, points: [] }, ...more] = parts;
    const all = [{ ...first, points: [...first.points, ...sensorPoints(sensors, `${tele}SENSOR`)] }, ...more];
    const natives = all.map(({ key }) => `tasmota/${mac}${key}`);
    for (const native of this.#known.get(mac)?.natives ?? [])
      if (!natives.includes(native)) this.#devices.remove(native);
    this.#known.set(mac, { config, natives });
    for (const [index, { isLamp, name, points }] of all.entries())
      if (points.length > 0)
        this.#devices.put({
          native: natives[index] ?? "",
          radio: "tasmota",
          name,
          class: isLamp ? "LIGHT" : undefined,
          manufacturer: "Tasmota",
          model,
          availability: [{ topic: `${tele}LWT`, path: [], online, offline }],
          points,
        });
  }
}

function configOf(said: Values, mac: string): Config | undefined {
  const { t, ft, tp, fn, rl, state, lt_st: lamp } = said;
  const topic = wordOf(t, 256);
  const prefixes = Array.isArray(tp) ? tp.map((each) => wordOf(each) ?? "") : ["cmnd", "stat", "tele"];
  if (topic === null || prefixes.length < 3 || [topic, ...prefixes].some((each) => /[+#\0]/.test(each)))
    return undefined;
  const full = wordOf(ft, 256) ?? "%prefix%/%topic%/";
  const [command = "", stat = "", tele = ""] = prefixes.map((prefix) =>
    full.replace("%prefix%", prefix).replace("%topic%", topic).replace("%id%", mac.slice(-6)),
  );
  if (/[+#\0]/.test(command)) return undefined;
  const words = Array.isArray(state) ? state.map(String) : [];
  return {
    mac,
    names: Array.isArray(fn) ? fn.map((each) => wordOf(each)) : [wordOf(said["dn"])],
    model: wordOf(said["md"]),
    command,
    stat,
    tele,
    online: wordOf(said["onln"]) ?? "Online",
    offline: wordOf(said["ofln"]) ?? "Offline",
    relays: Array.isArray(rl) ? rl.slice(0, 32).map(Number) : [],
    lamp: typeof lamp === "number" ? lamp : 0,
    off: words[0] ?? "OFF",
    on: words[1] ?? "ON",
  };
}

interface Part {
  readonly key: string;
  readonly isLamp: boolean;
  readonly name: string;
  readonly points: readonly Point[];
}

/** Returns a part for each relay, lamp and shutter; the first is the device itself. */
function partsOf(config: Config): readonly Part[] {
  const { relays, names, mac } = config;
  const used = relays.flatMap((kind, index) =>
    kind === 1 || kind === 2 ? [{ kind, number: index + 1 }] : [],
  );
  const shutters = Math.ceil(relays.filter((kind) => kind === 3).length / 2);
  const parts = [
    ...used.map(({ kind, number }) => ({
      isLamp: kind === 2,
      name: names[number - 1] ?? `${names[0] ?? mac} ${number}`,
      points: [
        ...switchPoints(config, number, used.length === 1, kind === 2),
        ...(kind === 2 ? lampPoints(config) : []),
      ],
    })),
    ...Array.from({ length: shutters }, (_, index) => ({
      isLamp: false,
      name: `${names[0] ?? mac} ${index + 1}`,
      points: shutterPoints(config, index + 1),
    })),
  ];
  return parts.map((part, index) => ({ ...part, key: index === 0 ? "" : `/${index + 1}` }));
}

/** A value stands in what the device says by itself and in its answer to a command. */
function both(config: Config, path: readonly string[], point: Omit<Point, "from">): readonly Point[] {
  const { write, ...silent } = point;
  return [
    { ...silent, from: { topic: `${config.tele}STATE`, path } },
    { ...silent, ...(write && { write }), from: { topic: `${config.stat}RESULT`, path } },
  ];
}

function switchPoints(config: Config, number: number, isOnly: boolean, isLamp: boolean): readonly Point[] {
  const { on, off, command } = config;
  const point: Omit<Point, "from"> = {
    attributes: ["isOn"],
    capabilities: capabilitiesOf("isOn", isLamp),
    read: (value) => (value === on ? { isOn: true } : value === off ? { isOn: false } : {}),
    write: ({ isOn }) =>
      typeof isOn === "boolean" ? { topic: `${command}POWER${number}`, payload: isOn ? on : off } : undefined,
  };
  const { write: _, ...silent } = point;
  return [
    ...both(config, [`POWER${number}`], point),
    // One relay alone has no number, unless SetOption26 gives it one.
    ...(isOnly ? both(config, ["POWER"], silent) : []),
  ];
}

function lampPoints(config: Config): readonly Point[] {
  const { command, lamp } = config;
  const dimmer: Omit<Point, "from"> = {
    attributes: ["brightness"],
    capabilities: ["BRIGHTNESS"],
    read: (value) => brightnessIn(value, 100),
    write: ({ brightness }) =>
      typeof brightness === "number"
        ? { topic: `${command}Dimmer`, payload: String(levelOf(brightness, 100)) }
        : undefined,
  };
  const white: Omit<Point, "from"> = {
    attributes: ["temperature"],
    capabilities: ["COLOR_TEMP"],
    read: (value) => {
      const mired = numberIn(value);
      if (mired === undefined || mired < 1) return {};
      return {
        temperature: Math.round(kelvinOf(mired)),
        colorMode: "ct",
        minTemperature: 2000,
        maxTemperature: 6536,
      };
    },
    write: ({ temperature }) =>
      typeof temperature === "number" && temperature > 0
        ? {
            topic: `${command}CT`,
            payload: String(Math.min(500, Math.max(153, miredOf(temperature)))),
          }
        : undefined,
  };
  const colour: Omit<Point, "from"> = {
    attributes: ["hue", "saturation"],
    capabilities: ["COLOR_HS"],
    read: (value) => {
      const [h, s] = String(value).split(",").map(numberIn);
      if (h === undefined || s === undefined || h < 0 || h > 360 || s < 0 || s > 100) return {};
      return { hue: (h * Math.PI) / 180, saturation: s / 100, ...(lamp === 3 && { colorMode: "hs" }) };
    },
    write: (wanted, before) => {
      const [hue, saturation] = ["hue", "saturation"].map((name) => wanted[name] ?? before[name]);
      const isMeant = typeof (wanted["hue"] ?? wanted["saturation"]) === "number";
      if (!isMeant || typeof hue !== "number" || typeof saturation !== "number" || hue < 0 || saturation < 0)
        return undefined;
      const payload = `${Math.round((hue * 180) / Math.PI) % 360},${Math.round(saturation * 100)}`;
      return { topic: `${command}HsbColor`, payload };
    },
  };
  return [
    ...(lamp > 0 ? both(config, ["Dimmer"], dimmer) : []),
    ...(lamp === 2 || lamp === 5 ? both(config, ["CT"], white) : []),
    ...(lamp >= 3 ? both(config, ["HSBColor"], colour) : []),
  ];
}

function shutterPoints({ command, stat, tele }: Config, number: number): readonly Point[] {
  const point: Omit<Point, "from"> = {
    attributes: ["liftPct", "position"],
    capabilities: ["BLINDS", "LIFT"],
    read: (value) => liftIn(numberIn(value)),
  };
  return [
    { ...point, from: { topic: `${tele}SENSOR`, path: [`SHUTTER${number}`, "Position"] } },
    {
      ...point,
      from: { topic: `${stat}RESULT`, path: [`Shutter${number}`, "Position"] },
      write: (wanted) => {
        const percent = wantedLift(wanted);
        return percent === undefined
          ? undefined
          : { topic: `${command}ShutterPosition${number}`, payload: String(Math.round(percent)) };
      },
    },
    {
      attributes: ["stop"],
      capabilities: ["COVER_STOP"],
      read: () => ({}),
      write: ({ stop }) =>
        stop === true ? { topic: `${command}ShutterStop${number}`, payload: "" } : undefined,
    },
  ];
}

/** What sensors of any make say, and the attribute that it is, with its scale. */
const readings: Readonly<Record<string, readonly [attribute: string, scale: number]>> = {
  Temperature: ["temperature", 1],
  Humidity: ["humidity", 1],
  Pressure: ["pressure", 100],
  Illuminance: ["lux", 1],
  CarbonDioxide: ["co2Ppm", 1],
  "PM2.5": ["pm25", 1],
  PM10: ["pm10", 1],
  Power: ["activePower", 1],
  Voltage: ["voltage", 1],
  Current: ["current", 1],
  Factor: ["powerFactor", 1],
  Total: ["totalPower", 1],
  Today: ["powerToday", 1],
  ApparentPower: ["apparentPower", 1],
  ReactivePower: ["reactivePower", 1],
  Frequency: ["frequency", 1],
};

/** Returns the points of the sensors in an example of a message; of several of a kind the first. */
function sensorPoints(example: unknown, topic: string): readonly Point[] {
  if (!isRecord(example)) return [];
  const isFahrenheit = example["TempUnit"] === "F";
  const points = new Map<string, Point>();
  for (const [sensor, values] of Object.entries(example)) {
    if (!isRecord(values)) continue;
    for (const name of Object.keys(values)) {
      const row = Object.hasOwn(readings, name) ? readings[name] : undefined;
      if (row === undefined || points.has(row[0])) continue;
      const [attribute, scale] = row;
      points.set(attribute, {
        attributes: [attribute],
        capabilities: capabilitiesOf(attribute, false),
        from: { topic, path: [sensor, name] },
        read: (value) => {
          const number = numberIn(Array.isArray(value) ? value[0] : value);
          if (number === undefined) return {};
          const shown =
            attribute === "temperature" && isFahrenheit ? ((number - 32) * 5) / 9 : number * scale;
          return { [attribute]: Number(shown.toPrecision(12)) };
        },
      });
    }
  }
  return [...points.values()];
}
