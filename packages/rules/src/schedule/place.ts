import type { Hub } from "@ledge/model";
import { isTimezone, locationOf } from "@ledge/model";

/** The place of the hub, for local time and the sun. Angles in degrees, north and east positive. */
export interface Place {
  /** The IANA name of the time zone. */
  readonly zone: string;
  readonly latitude: number;
  readonly longitude: number;
}

const places = new Map<string, Place>();
const placesKept = 16;

/**
 * Returns the place of a hub, the same object for the same place, because caches use it as their key. A time
 * zone that this runtime does not know counts as UTC.
 */
export function placeOf(hub: Pick<Hub, "timezone" | "location">): Place {
  const { latitude, longitude } = locationOf(hub);
  const key = `${hub.timezone} ${latitude} ${longitude}`;
  const known = places.get(key);
  if (known !== undefined) return known;
  const zone = isTimezone(hub.timezone) ? hub.timezone : "UTC";
  const place = { zone, latitude, longitude };
  if (places.size >= placesKept) places.clear();
  places.set(key, place);
  return place;
}
