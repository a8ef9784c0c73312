// The JSON lines of rtl_433, after its DATA_FORMAT page and its decoders.
import type { ReadName } from "./readings.ts";
import { isNameable, type Order, rounded, type Signal } from "./signal.ts";

/** rtl_433 writes a few hundred characters; raw codes may be longer. */
const longestLine = 4096;

/** Reads a line of rtl_433; undefined for what is none, or names no device. */
export function readRtl433(text: string): Signal | undefined {
  if (text.length > longestLine) return undefined;
  const event = objectIn(text);
  const model = wordOf(event?.["model"]);
  if (event === undefined || model === undefined) return undefined;
  // Two devices of a model differ in any of these; some have no id at all.
  const address = ["subtype", "id", "channel"].flatMap((name) => wordOf(event[name]) ?? []).join("-");
  const unit = wordOf(event["unit"]) ?? wordOf(event["button"]) ?? wordOf(event["switch"]);
  const signal: Signal = {
    protocol: model,
    address: address === "" ? "0" : address,
    ...(unit !== undefined && { unit }),
    ...orderIn(event),
    values: valuesIn(event),
  };
  return isNameable(signal) ? signal : undefined;
}

type Event = Readonly<Record<string, unknown>>;

function objectIn(text: string): Event | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Event;
  } catch {
    return undefined;
  }
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

const orders: Readonly<Record<string, Order>> = {
  on: "on",
  off: "off",
  up: "up",
  down: "down",
  stop: "stop",
};

/** The fields in which decoders say what a key means. */
const orderFields = ["command", "state", "cmd", "event", "button_text"] as const;

function orderIn(event: Event): Pick<Signal, "order" | "isForAll" | "word"> {
  const isRinging = ["doorbell", "secret_knock", "chime"].some((name) => isTrue(event[name]) === true);
  if (isRinging) return { order: "ring" };
  const word = orderFields.map((name) => wordOf(event[name])).find((each) => each !== undefined);
  if (word === undefined) return {};
  const key = word.toLowerCase();
  const order = Object.hasOwn(orders, key) ? orders[key] : undefined;
  const isForAll = ["group", "group_call"].some((name) => isTrue(event[name]) === true);
  return { ...(order !== undefined && { order }), ...(isForAll && { isForAll }), word };
}

type Read = (value: unknown) => number | boolean | undefined;

const between =
  (least: number, most: number, scale = 1, offset = 0): Read =>
  (value) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    const read = rounded((value + offset) * scale);
    return read >= least && read <= most ? read : undefined;
  };
const positive = (scale = 1): Read => between(0, 1e9, scale);
const flag: Read = (value) => isTrue(value);
const not: Read = (value) => {
  const read = isTrue(value);
  return read === undefined ? undefined : !read;
};

function isTrue(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 1 || value === 0) return value === 1;
  return undefined;
}

const celsius = between(-100, 500);
const fahrenheit = between(-100, 500, 1 / 1.8, -32);
const kmh = 1 / 3.6;
const mph = 0.44704;
const inch = 25.4;

/** The value of each field. */
const fields: Readonly<Record<string, readonly [name: ReadName, read: Read]>> = {
  temperature_C: ["temperature", celsius],
  temperature_F: ["temperature", fahrenheit],
  temperature_1_C: ["extras.temperature_1", celsius],
  temperature_1_F: ["extras.temperature_1", fahrenheit],
  temperature_2_C: ["extras.temperature_2", celsius],
  temperature_2_F: ["extras.temperature_2", fahrenheit],
  temperature_3_C: ["extras.temperature_3", celsius],
  temperature_4_C: ["extras.temperature_4", celsius],
  setpoint_C: ["extras.setpoint", celsius],
  humidity: ["humidity", between(0, 100)],
  moisture: ["soilMoisture", between(0, 100)],
  battery_ok: ["batteryLow", (value) => (typeof value === "number" ? value < 0.5 : not(value))],
  battery_V: ["batteryV", between(0, 100)],
  battery_mV: ["batteryV", between(0, 100, 0.001)],
  pressure_hPa: ["pressure", positive(100)],
  pressure_kPa: ["pressure", positive(1000)],
  pressure_psi: ["pressure", positive(6894.757)],
  light_lux: ["lux", positive()],
  light_klx: ["lux", positive(1000)],
  co2_ppm: ["co2Ppm", positive()],
  pm1_ug_m3: ["pm1", positive()],
  pm2_5_ug_m3: ["pm25", positive()],
  pm10_ug_m3: ["pm10", positive()],
  power_W: ["activePower", between(-1e9, 1e9)],
  energy_kWh: ["totalPower", positive()],
  voltage_V: ["voltage", positive()],
  current_A: ["current", positive()],
  volume_m3: ["volume", positive(1000)],
  wind_avg_m_s: ["extras.wind", positive()],
  wind_avg_km_h: ["extras.wind", positive(kmh)],
  wind_avg_mi_h: ["extras.wind", positive(mph)],
  wind_max_m_s: ["extras.gust", positive()],
  wind_max_km_h: ["extras.gust", positive(kmh)],
  wind_max_mi_h: ["extras.gust", positive(mph)],
  wind_dir_deg: ["extras.wind_direction", between(0, 360)],
  rain_mm: ["extras.rain", positive()],
  rain_in: ["extras.rain", positive(inch)],
  rain_rate_mm_h: ["extras.rain_rate", positive()],
  rain_rate_in_h: ["extras.rain_rate", positive(inch)],
  uv: ["extras.uv", between(0, 50)],
  uvi: ["extras.uv", between(0, 50)],
  depth_cm: ["extras.depth", positive()],
  strike_count: ["extras.strikes", positive()],
  storm_dist_km: ["extras.storm_distance", positive()],
  motion: ["motion", flag],
  contact_open: ["open", flag],
  reed_open: ["open", flag],
  opened: ["open", flag],
  closed: ["open", not],
  detect_wet: ["moisture", flag],
  water: ["moisture", flag],
  leak: ["moisture", flag],
  smoke: ["alert", flag],
  co: ["coDetected", flag],
  tamper: ["tamper", flag],
};

function valuesIn(event: Event): Signal["values"] {
  const values: Record<string, number | boolean> = {};
  for (const [field, raw] of Object.entries(event)) {
    const [name, read] = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? [];
    const value = read?.(raw);
    if (name !== undefined && value !== undefined) values[name] ??= value;
  }
  const level = event["battery_ok"];
  // A decoder that knows more than good and bad says a fraction.
  if (typeof level === "number" && level > 0 && level < 1) values["battery"] = rounded(level * 100);
  return values;
}
