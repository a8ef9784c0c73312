import type { LibraryValue } from "node-bacnet";

/** Values as the library encodes them, by application tag (ASHRAE 135, 20.2.1.4). */
export const none: LibraryValue = { type: 0, value: null };
export const boolean = (value: boolean): LibraryValue => ({ type: 1, value });
export const unsigned = (value: number): LibraryValue => ({ type: 2, value });
export const signed = (value: number): LibraryValue => ({ type: 3, value });
export const real = (value: number): LibraryValue => ({ type: 4, value });
export const text = (value: string): LibraryValue => ({ type: 7, value });
export const enumerated = (value: number): LibraryValue => ({ type: 9, value });
export const objectId = (type: number, instance: number): LibraryValue => ({
  type: 12,
  value: { type, instance },
});

/** Returns a string of bits; the library wants the first bit of each octet lowest. */
export function bits(values: readonly boolean[]): LibraryValue {
  const octets = Array.from({ length: Math.ceil(values.length / 8) }, () => 0);
  for (const [index, bit] of values.entries())
    if (bit) octets[index >> 3] = (octets[index >> 3] ?? 0) | (1 << (index & 7));
  return { type: 8, value: { value: octets, bitsUsed: values.length } };
}

/** Returns a string of bits of which those with these numbers are set. */
export function bitsWith(length: number, set: readonly number[]): LibraryValue {
  return bits(Array.from({ length }, (_, bit) => set.includes(bit)));
}

/** A date and time of day in the hub's time zone. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 1 is Monday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Minutes that the zone is behind UTC. */
  readonly utcOffset: number;
  readonly isDaylightSaving: boolean;
}

/** Returns a date. The library writes the number of the month as it finds it, but BACnet counts from 1. */
export function date({ year, month, day, weekday }: LocalTime): LibraryValue {
  const value = {
    getFullYear: () => year,
    getMonth: () => month,
    getDate: () => day,
    getDay: () => weekday,
  };
  return { type: 10, value };
}

export function timeOfDay({ hour, minute, second }: LocalTime): LibraryValue {
  const value = {
    getHours: () => hour,
    getMinutes: () => minute,
    getSeconds: () => second,
    getMilliseconds: () => 0,
  };
  return { type: 11, value };
}

/** Returns the time in a zone. @param now ms since the epoch */
export function localTime(now: number, timeZone: string): LocalTime {
  const offset = offsetOf(now, timeZone);
  const local = new Date(now + offset * 60_000);
  const year = local.getUTCFullYear();
  const standard = Math.min(
    offsetOf(Date.UTC(year, 0, 1), timeZone),
    offsetOf(Date.UTC(year, 6, 1), timeZone),
  );
  return {
    year,
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    weekday: local.getUTCDay() === 0 ? 7 : local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    utcOffset: -standard,
    isDaylightSaving: offset !== standard,
  };
}

/** Returns how many minutes a zone is ahead of UTC. */
function offsetOf(at: number, timeZone: string): number {
  const form = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "longOffset" });
  const name = form.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const {
    sign = "+",
    hours = "0",
    minutes = "0",
  } = /GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)/.exec(name)?.groups ?? {};
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
