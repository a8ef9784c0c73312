import type { SunEvent } from "@ledge/model";
import { getPosition, getTimes, type SunTimes as SunCalcTimes } from "suncalc";
import type { Place } from "./place.ts";
import { dayMs, zoneOf } from "./zone.ts";

/** When an event of the sun is. Where it does not happen on that day, `at` is what it comes near to as days change. */
export interface SunTime {
  readonly at: number;
  readonly happens: boolean;
}

export type SunTimes = Readonly<Record<SunEvent["event"], SunTime>>;

const days = new WeakMap<Place, Map<number, SunTimes>>();
const daysKept = 512;
/** suncalc's positions have the refraction at the horizon in them, which its times do not have; degrees. */
const refraction = 0.5;
const civilTwilight = -6;
/** So near to noon it is before midnight, however noons lie. */
const nightMs = dayMs / 2 - 60_000;

/**
 * The sun on a day of the calendar, around the noon that is nearest to noon by the clock. While the sun stays down, it
 * rises and sets at noon: the night has all of the day. While it stays up, it rises and sets at midnight: the
 * night has nothing. Dawn and dusk likewise.
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
  // Between two noons, whose distance changes: the same midnight for both days.
  const midnight = (side: 1 | -1): number => (noon + around(nearest + side * dayMs).solarNoon.getTime()) / 2;
  const timeOf = (time: SunCalcTimes["sunrise"], isAbove: boolean, side: 1 | -1): SunTime => {
    if (time === null) return { at: Math.round(isAbove ? midnight(side) : noon), happens: false };
    const away = side * (time.getTime() - noon);
    if (away >= 0 && away < nightMs) return { at: Math.round(time.getTime()), happens: true };
    // Where the sun only grazes the horizon, what is computed may be anywhere.
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
