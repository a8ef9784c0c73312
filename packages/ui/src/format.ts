// The only file that writes values for readers.
import { isKey, type Key, languageNow, t } from "./texts/texts.ts";
import { zone } from "./zone.ts";

/** What of a device decides how its values are written. */
export interface Formatted {
  readonly type: string;
  readonly capabilities: { readonly values: readonly string[] };
}

/** The words for true and false. */
const words = new Map<string, readonly [yes: Key, no: Key]>(
  Object.entries({
    isOn: ["value.on", "value.off"],
    open: ["value.open", "value.closed"],
    motion: ["value.motion", "value.noMotion"],
    moisture: ["value.wet", "value.dry"],
    alert: ["value.alarm", "value.calm"],
    coDetected: ["value.alarm", "value.calm"],
    sirenOn: ["value.on", "value.off"],
    locked: ["value.locked", "value.unlocked"],
    twilight: ["value.dark", "value.light"],
    batteryLow: ["value.low", "value.good"],
    reachable: ["value.reachable", "device.unreachable"],
    recording: ["value.on", "value.off"],
    fn_fireplace: ["value.on", "value.off"],
  }),
);

/** Fractions of 1, shown in percent. */
const parts: ReadonlySet<string> = new Set(["brightness", "saturation", "heatingDemand", "position"]);

/** Unit, factor and digits. Intl has no watt, hectopascal or lux, so none of the units comes from it. */
const units = new Map<string, readonly [unit: string, digits: number, factor?: number]>(
  Object.entries({
    temperature: ["°C", 1],
    targetTemp: ["°C", 1],
    targetTemperature: ["°C", 1],
    freshTemperature: ["°C", 1],
    supplyTemperature: ["°C", 1],
    extractTemperature: ["°C", 1],
    deviceTemperature: ["°C", 1],
    colorTemperature: ["K", 0],
    humidity: ["%", 0],
    soilMoisture: ["%", 0],
    battery: ["%", 0],
    liftPct: ["%", 0],
    tiltPct: ["%", 0],
    openPct: ["%", 0],
    lux: ["lx", 0],
    co2Ppm: ["ppm", 0],
    vocPpm: ["ppm", 0],
    pm25: ["µg/m³", 0],
    pressure: ["hPa", 0, 0.01],
    activePower: ["W", 1],
    power: ["W", 1],
    totalPower: ["kWh", 1],
    powerToday: ["kWh", 2],
    rssi: ["dBm", 0],
    batteryV: ["V", 2],
    voltage: ["V", 0],
    current: ["A", 2],
    frequency: ["Hz", 1],
    flow: ["l/h", 0],
    hue: ["°", 0, 180 / Math.PI],
  }),
);

const times: ReadonlySet<string> = new Set(["lastSeen", "lastChange", "lastMotion"]);

/** Keeps a value and its unit on one line. */
const narrowSpace = "\u202f";

/** Returns the name that the interface has for an attribute of a device. */
export function nameOfAttribute(device: Formatted, attribute: string): string {
  const key = `attribute.${keyOf(device, attribute)}`;
  return isKey(key) ? t(key) : attribute;
}

/** Lamps and sensors share the key `temperature`. */
function keyOf({ type }: Formatted, attribute: string): string {
  return type === "LIGHT" && attribute === "temperature" ? "colorTemperature" : attribute;
}

/** Returns the value of an attribute in words for a reader. */
export function textOf(device: Formatted, attribute: string, value: unknown): string {
  if (value === null || value === undefined) return t("value.unknown");
  const key = keyOf(device, attribute);
  if (typeof value === "boolean") {
    const [yes, no] = words.get(key) ?? (["value.yes", "value.no"] as const);
    return t(value ? yes : no);
  }
  if (typeof value === "string") return wordOf(key, value);
  if (typeof value !== "number") return JSON.stringify(value);
  if (times.has(key)) return momentOf(value);
  const choice = choiceOf(device, key, value);
  if (choice !== undefined) return choice;
  if (parts.has(key)) return percentOf(value);
  const [unit, digits, factor = 1] = units.get(key) ?? ["", 2];
  return withUnit(value * factor, unit, digits);
}

/** Returns a word of the API for a reader: whether a camera answers. Others are texts of the device. */
function wordOf(attribute: string, value: string): string {
  const key = `link.${value}`;
  return attribute === "connectionState" && isKey(key) ? t(key) : value;
}

function choiceOf({ capabilities }: Formatted, key: string, value: number): string | undefined {
  const family = key === "mode" ? (capabilities.values.includes("VU") ? "vent" : "heat") : choices.get(key);
  const name = `${family ?? ""}.${value}`;
  return isKey(name) ? t(name) : undefined;
}

const choices = new Map([
  ["preset", "preset"],
  ["fanMode", "fan"],
]);

/** Returns a number with the unit that its device names; empty for none. */
export function numberText(value: number, unit: string): string {
  return withUnit(value, unit, 2);
}

const numbers = new Map<string, Intl.NumberFormat>();

function withUnit(value: number, unit: string, digits: number): string {
  const language = languageNow();
  const name = `${language} ${digits}`;
  let format = numbers.get(name);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { maximumFractionDigits: digits });
    numbers.set(name, format);
  }
  // A value just below zero is zero for a reader.
  const text = format.format(Number(value.toFixed(digits)) + 0);
  if (unit === "") return text;
  return unit === "°" ? text + unit : text + narrowSpace + unit;
}

/** Returns a part of 1 in percent. */
export function percentOf(part: number): string {
  return withUnit(part * 100, "%", 0);
}

/** A unit, and what a number of the hub is multiplied by to be in it. */
export interface Scale {
  /** Empty for none. */
  readonly unit: string;
  readonly factor: number;
}

/** Returns the scale in which a reader sees the numbers of an attribute. Yes and no are parts of the time. */
export function scaleOf(device: Formatted, attribute: string, isYesOrNo: boolean): Scale {
  const key = keyOf(device, attribute);
  if (isYesOrNo || parts.has(key)) return { unit: "%", factor: 100 };
  const [unit, , factor = 1] = units.get(key) ?? ["", 2];
  return { unit, factor };
}

/** Writes a time (ms) in the zone of the home. */
function written(ms: number, shown: Intl.DateTimeFormatOptions): string {
  const { value: timeZone } = zone;
  return new Intl.DateTimeFormat(languageNow(), { ...shown, ...(timeZone && { timeZone }) }).format(ms);
}

/** Returns a time (ms) as date and clock. */
export function momentOf(ms: number): string {
  return written(ms, { dateStyle: "medium", timeStyle: "short" });
}

const stampParts = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "longOffset",
} as const;

/** Returns a time (ms) for programs, in the zone of the home, such as "2026-11-24T18:04:11+02:00" (RFC 3339). */
export function stampOf(ms: number): string {
  const { value: timeZone } = zone;
  const format = new Intl.DateTimeFormat("en", { ...stampParts, ...(timeZone && { timeZone }) });
  const found = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => found.get(type) ?? "";
  const day = [part("year"), part("month"), part("day")].join("-");
  const clock = [part("hour"), part("minute"), part("second")].join(":");
  // No offset at all is written as GMT.
  const offset = part("timeZoneName").slice("GMT".length) || "+00:00";
  return `${day}T${clock}${offset}`;
}

/** Returns day of the week and clock of a time (ms), such as "Tue 18:04". */
export function weekClockOf(ms: number): string {
  return written(ms, { weekday: "short", hour: "2-digit", minute: "2-digit" });
}

/** Returns the clock of a time (ms), such as "18:04". */
export function shortClockOf(ms: number): string {
  return written(ms, { timeStyle: "short" });
}

/** Returns the day of a time (ms), such as "Tuesday, 24 November". */
export function dateOf(ms: number): string {
  return written(ms, { weekday: "long", day: "numeric", month: "long" });
}

/** Returns the clock of a time (ms), with seconds. */
export function clockOf(ms: number): string {
  return written(ms, { timeStyle: "medium" });
}

/** Returns a time of day (minutes since midnight) as a field for times holds it, such as "07:30". */
export function clockOfMinutes(minutes: number): string {
  const part = (of: number): string => String(of).padStart(2, "0");
  return `${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}

/** Returns the minutes since midnight of a time such as "07:30"; undefined for what is none. */
export function clockIn(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(text.trim()) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return Number(hours) * 60 + Number(minutes);
}

/** A Monday, 1970-01-05. */
const mondayMs = 4 * 86_400_000;

/** Returns the short name of a day of the week, 1 (Monday) to 7. */
export function dayName(day: number): string {
  const shown = { weekday: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(languageNow(), shown).format(mondayMs + (day - 1) * 86_400_000);
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** Returns how long ago a time (ms) is, such as "2 min ago", no more exact than 10 s. */
export function agoOf(ms: number, now: number): string {
  const passed = Math.max(0, (now - ms) / 1000);
  const [unit, seconds] = steps.find(([, of]) => passed >= of) ?? ["second", 1];
  const count = unit === "second" ? Math.floor(passed / 10) * 10 : Math.floor(passed / seconds);
  const format = new Intl.RelativeTimeFormat(languageNow(), { numeric: "auto", style: "short" });
  return format.format(-count, unit);
}

/** Returns a count of bytes in MB or GB, as disks are labelled. */
export function bytesOf(bytes: number): string {
  return bytes < 1e9 ? withUnit(bytes / 1e6, "MB", 0) : withUnit(bytes / 1e9, "GB", 1);
}

/** Returns a length of time (ms) in days, hours or minutes, such as "3 days". */
export function spanOf(ms: number): string {
  const [unit, seconds] = steps.find(([, of]) => ms / 1000 >= of && of >= 60) ?? (["minute", 60] as const);
  const count = Math.floor(ms / 1000 / seconds);
  return new Intl.NumberFormat(languageNow(), { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** Returns energy (kWh) for readers. */
export function kWhOf(kWh: number): string {
  return withUnit(kWh, "kWh", Math.abs(kWh) < 10 ? 2 : 1);
}

/** Returns power (W) for readers. */
export function wattsOf(watts: number): string {
  return Math.abs(watts) < 1000 ? withUnit(watts, "W", 0) : withUnit(watts / 1000, "kW", 2);
}

/** Returns money for readers. @param currency as in ISO 4217 */
export function moneyOf(amount: number, currency: string): string {
  return new Intl.NumberFormat(languageNow(), { style: "currency", currency }).format(amount);
}

/** Returns the day of a time (ms) in a time zone, such as "Tue 24 Nov". */
export function dayIn(ms: number, timeZone: string): string {
  const shown = { weekday: "short", day: "numeric", month: "short", timeZone } as const;
  return new Intl.DateTimeFormat(languageNow(), shown).format(ms);
}

/** Returns the clock of a time (ms) in a time zone, such as "18:00". */
export function hourIn(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat(languageNow(), { timeStyle: "short", timeZone }).format(ms);
}
