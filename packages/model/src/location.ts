import Type from "typebox";
import type { Decision } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Hub } from "./hub-state.ts";
import { cityOf, type Location } from "./zone-locations.ts";

const Latitude = Type.Number({ minimum: -90, maximum: 90, description: "degrees, north positive" });
const Longitude = Type.Number({ minimum: -180, maximum: 180, description: "degrees, east positive" });

/** LOCATION: where the hub is; by default the city of its time zone. */
export const HubLocation = Type.Object({
  type: Type.Literal("LOCATION"),
  latitude: Latitude,
  longitude: Longitude,
  isDefault: Type.Boolean({ description: "nobody has set it" }),
});

/** LOCATION as clients send it; null for both coordinates restores the default. */
export const HubLocationRequest = Type.Object({
  type: Type.Literal("LOCATION"),
  latitude: Type.Union([Latitude, Type.Null()]),
  longitude: Type.Union([Longitude, Type.Null()]),
});

/** `location` is null for the default. */
export const LocationSet = defineEvent("LocationSet", 1, {
  location: Type.Union([Type.Object({ latitude: Latitude, longitude: Longitude }), Type.Null()]),
});
export type LocationSet = EventOf<typeof LocationSet>;

/** Returns where a hub is: the set location, or the city of its time zone. */
export function locationOf({ location, timezone }: Pick<Hub, "location" | "timezone">): Location {
  return location ?? cityOf(timezone);
}

/** Decides a new location: both coordinates, or neither for the default. */
export function decideLocation(
  { latitude, longitude }: Pick<Type.Static<typeof HubLocationRequest>, "latitude" | "longitude">,
  { id, location: before }: Pick<Hub, "id" | "location">,
): Decision<LocationSet> {
  if ((latitude === null) !== (longitude === null)) {
    const field = latitude === null ? "latitude" : "longitude";
    return reject("invalid", "latitude and longitude go together", field);
  }
  if (latitude === (before?.latitude ?? null) && longitude === (before?.longitude ?? null)) return [];
  const location = latitude === null || longitude === null ? null : { latitude, longitude };
  return [{ type: "LocationSet", id, location }];
}
