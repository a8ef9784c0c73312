// The text protocol of an RFLink gateway, after its reference: RFLink Gateway Commands and Data fields.
import type { ReadName } from "./readings.ts";
import { isNameable, type Order, rounded, type Signal } from "./signal.ts";

/** A line of a gateway. */
export type RflinkLine =
  /** It has started, or says its version. */
  | { readonly type: "hello"; readonly text: string }
  | { readonly type: "pong" }
  /** It has sent what it was told. */
  | { readonly type: "ok" }
  /** It does not know what it was told. */
  | { readonly type: "unknown" }
  /** What it heard on the air. */
  | { readonly type: "signal"; readonly signal: Signal }
  /** Something else of its own: settings, raw pulses, a module that is missing. */
  | { readonly type: "other" };

/** A gateway's line has at most 100 characters. */
const longestLine = 512;

/** Reads a line of a gateway; undefined for what is none, such as the half of one. */
export function readRflink(text: string): RflinkLine | undefined {
  const line = text.trim();
  if (line.length > longestLine) return undefined;
  const [node, sequence, name, ...fields] = line.split(";");
  if (node !== "20" || sequence === undefined || !/^[0-9A-Fa-f]{2}$/.test(sequence)) return undefined;
  if (name === undefined || name === "" || fields.pop() !== "") return undefined;
  if (fields.length === 0) return answerOf(name);
  if (name.startsWith("VER=")) return { type: "hello", text: [name, ...fields].join(" ") };
  if (!fields.some((field) => field.startsWith("ID="))) return { type: "other" };
  const signal = signalOf(name, fields);
  return signal === undefined ? undefined : { type: "signal", signal };
}

function answerOf(name: string): RflinkLine {
  if (name === "OK") return { type: "ok" };
  if (name === "PONG") return { type: "pong" };
  if (name === "CMD UNKNOWN") return { type: "unknown" };
  if (/RFLink/i.test(name)) return { type: "hello", text: name };
  return { type: "other" };
}

function signalOf(protocol: string, fields: readonly string[]): Signal | undefined {
  const said = new Map<string, string>();
  for (const field of fields) {
    const [label = "", ...rest] = field.split("=");
    if (rest.length > 0 && !said.has(label)) said.set(label, rest.join("=").trim());
  }
  const unit = said.get("SWITCH");
  const signal: Signal = {
    protocol,
    address: said.get("ID") ?? "",
    ...(unit !== undefined && { unit }),
    ...orderOf(said),
    values: valuesOf(said),
  };
  return isNameable(signal) ? signal : undefined;
}

const orders: Readonly<Record<string, Order>> = {
  ON: "on",
  OFF: "off",
  UP: "up",
  DOWN: "down",
  STOP: "stop",
};

function orderOf(said: ReadonlyMap<string, string>): Pick<Signal, "order" | "isForAll" | "word"> {
  if (said.has("CHIME")) return { order: "ring" };
  const word = said.get("CMD");
  if (word === undefined) return {};
  const level = /^SET_LEVEL=(\d{1,2})$/.exec(word)?.[1];
  if (level !== undefined && Number(level) <= dimSteps) return { order: { level: Number(level) / dimSteps } };
  const isForAll = word === "ALLON" || word === "ALLOFF";
  const order = orders[isForAll ? word.slice(3) : word];
  return { ...(order !== undefined && { order }), ...(isForAll && { isForAll }), word };
}

type Read = (text: string) => number | boolean | undefined;

const hex =
  (scale: number): Read =>
  (text) =>
    /^[0-9A-Fa-f]{1,8}$/.test(text) ? rounded(Number.parseInt(text, 16) * scale) : undefined;
const decimal =
  (most: number, scale = 1): Read =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) <= most ? rounded(Number(text) * scale) : undefined;
const word =
  (yes: string, no: string): Read =>
  (text) =>
    text === yes ? true : text === no ? false : undefined;
/** Tenths of a degree; the high bit is the sign. */
const celsius: Read = (text) => {
  if (!/^[0-9A-Fa-f]{1,4}$/.test(text)) return undefined;
  const bits = Number.parseInt(text, 16);
  const tenths = bits & 0x8000 ? -(bits & 0x7fff) : bits;
  return Math.abs(tenths) < 2000 ? tenths / 10 : undefined;
};
const kmh = 1 / 3.6;

/** The value of each label. Hexadecimal numbers, except where the reference says decimal. */
const labels: Readonly<Record<string, readonly [name: ReadName, read: Read]>> = {
  TEMP: ["temperature", celsius],
  HUM: ["humidity", decimal(100)],
  // hPa, shown in Pa.
  BARO: ["pressure", hex(100)],
  LUX: ["lux", hex(1)],
  UV: ["extras.uv", hex(0.1)],
  BAT: ["batteryLow", word("LOW", "OK")],
  RAIN: ["extras.rain", hex(0.1)],
  RAINTOT: ["extras.rain_day", hex(0.1)],
  RAINRATE: ["extras.rain_rate", hex(0.1)],
  WINSP: ["extras.wind", hex(0.1 * kmh)],
  AWINSP: ["extras.wind", hex(0.1 * kmh)],
  WINGS: ["extras.gust", hex(0.1 * kmh)],
  WINDIR: ["extras.wind_direction", decimal(15, 22.5)],
  WINCHL: ["extras.wind_chill", celsius],
  WINTMP: ["temperature", celsius],
  SMOKEALERT: ["alert", word("ON", "OFF")],
  PIR: ["motion", word("ON", "OFF")],
  CO2: ["co2Ppm", decimal(100_000)],
  SOUND: ["extras.sound", decimal(100_000)],
  KWATT: ["activePower", hex(1000)],
  WATT: ["activePower", hex(1)],
  CURRENT: ["current", decimal(100_000)],
  CURRENT2: ["currentB", decimal(100_000)],
  CURRENT3: ["currentC", decimal(100_000)],
  DIST: ["extras.distance", decimal(1_000_000)],
  METER: ["extras.meter", decimal(999_999_999)],
  VOLT: ["voltage", decimal(100_000)],
};

function valuesOf(said: ReadonlyMap<string, string>): Signal["values"] {
  const values: Record<string, number | boolean> = {};
  for (const [label, text] of said) {
    const [name, read] = (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? [];
    const value = read?.(text);
    if (name !== undefined && value !== undefined) values[name] = value;
  }
  return values;
}

/** Steps of a dimmer above off. */
const dimSteps = 15;

/** What is sent to a receiver of a protocol. */
export interface Sending {
  readonly protocol: string;
  readonly address: string;
  readonly unit: string;
  readonly order: Exclude<Order, "ring">;
}

/** Protocols that the gateway names otherwise when it sends. */
const sentAs: Readonly<Record<string, string>> = { "Conrad RSL2": "Conrad" };

/** Returns the line, without its end, with which a gateway sends an order. */
export function writeRflink({ protocol, address, unit, order }: Sending): string {
  const name = Object.hasOwn(sentAs, protocol) ? sentAs[protocol] : protocol;
  const action =
    typeof order === "string"
      ? order.toUpperCase()
      : String(Math.min(dimSteps, Math.max(1, Math.round(order.level * dimSteps))));
  // RTS has a fixed number in the place of the unit.
  return `10;${name};${address};${protocol === "RTS" ? "0" : unit};${action};`;
}
