import type { Hub } from "@ledge/model";
import { isTimezone, locationOf } from "@ledge/model";

/** Where the hub is: what its clocks show, and how the sun stands. Angles in degrees, north and east positive. */
export interface Place {
  /** IANA name of the time zone. */
  readonly zone: string;
  readonly latitude: number;
  readonly longitude: number;
}

const places = new Map<string, Place>();
const placesKept = 16;

/**
 * Where a hub is, the same object for the same place: what has been computed for one is kept with it. A time zone that
 * this runtime does not know counts as UTC.
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
