import type { SunEvent } from "@ledge/model";
import { getPosition, getTimes, type SunTimes as SunCalcTimes } from "suncalc";
import type { Place } from "./place.ts";
import { dayMs, zoneOf } from "./zone.ts";

/**
 * The time of a sun event. When it does not happen on that day, `at` is the limit that it approaches on the
 * days before.
 */
export interface SunTime {
  readonly at: number;
  readonly happens: boolean;
}

export type SunTimes = Readonly<Record<SunEvent["event"], SunTime>>;

const days = new WeakMap<Place, Map<number, SunTimes>>();
const daysKept = 512;
/** suncalc's positions include the refraction at the horizon, its times do not; degrees. */
const refraction = 0.5;
const civilTwilight = -6;
/** Safely before midnight, wherever solar noon lies. */
const nightMs = dayMs / 2 - 60_000;

/**
 * Returns the sun's events of a calendar day, around the solar noon that is nearest to 12:00. On a day of
 * polar night the sun rises and sets at noon, so the night lasts all day. In midnight sun it rises and sets
 * at midnight, so there is no night. Dawn and dusk likewise.
 * @param day days since 1970 in local time
 */
export function sunOn(day: number, place: Place): SunTimes {
  let known = days.get(place);
  if (known === undefined) days.set(place, (known = new Map()));
  const kept = known.get(day);
  if (kept !== undefined) return kept;
  if (known.size >= daysKept) known.clear();
  const times = compute(day, place);
  known.set(day, times);
  return times;
}

function compute(day: number, place: Place): SunTimes {
  const { latitude, longitude, zone } = place;
  const clockNoon = zoneOf(zone).toInstant(day * dayMs + dayMs / 2);
  const noonHere = day * dayMs + dayMs / 2 - (longitude / 360) * dayMs;
  const nearest = noonHere + Math.round((clockNoon - noonHere) / dayMs) * dayMs;
  const around = (at: number): SunCalcTimes => getTimes(new Date(at), latitude, longitude);
  const sun = around(nearest);
  const isUp = sun.sunrise !== null || sun.alwaysUp === true;
  const isTwilight =
    isUp || getPosition(sun.solarNoon, latitude, longitude).altitude - refraction > civilTwilight;
  const noon = sun.solarNoon.getTime();
  // Half-way between two solar noons, which are not exactly a day apart, so both days share one midnight.
  const midnight = (side: 1 | -1): number => (noon + around(nearest + side * dayMs).solarNoon.getTime()) / 2;
  const timeOf = (time: SunCalcTimes["sunrise"], isAbove: boolean, side: 1 | -1): SunTime => {
    if (time === null) return { at: Math.round(isAbove ? midnight(side) : noon), happens: false };
    const away = side * (time.getTime() - noon);
    if (away >= 0 && away < nightMs) return { at: Math.round(time.getTime()), happens: true };
    // Where the sun only grazes the horizon, the computed time is unreliable.
    const most = side * (midnight(side) - noon);
    return { at: Math.round(noon + side * Math.min(Math.max(away, 0), most)), happens: true };
  };
  return {
    SUNRISE: timeOf(sun.sunrise, isUp, -1),
    SUNSET: timeOf(sun.sunset, isUp, 1),
    DAWN: timeOf(sun.dawn, isTwilight, -1),
    DUSK: timeOf(sun.dusk, isTwilight, 1),
  };
}
