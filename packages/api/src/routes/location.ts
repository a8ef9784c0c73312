import { type Command, type Hub, HubLocation, HubLocationRequest, locationOf } from "@ledge/model";
import { hubOf } from "../call.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit } from "../submit.ts";

/** The hub API knows a hub's time zone alone: where the sun rises is added. */
export const location = [
  row({
    method: "GET",
    path: "/hub/location",
    summary: "Where the hub is, for the times of the sun",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    result: HubLocation,
    handle: ({ hub: ports }) => shown(hubOf(ports)),
  }),
  row({
    method: "PUT",
    path: "/hub/location",
    summary: "Sets where the hub is; null for both is the city of its time zone again",
    access: "USER_ADMIN",
    body: HubLocationRequest,
    result: HubLocation,
    async handle(call) {
      const { latitude, longitude } = call.body;
      const command = { type: "SET_LOCATION", id: call.hub.hubId, latitude, longitude } as Command;
      const done = await submit(call, [command]);
      return done instanceof Refused ? done : shown(hubOf(call.hub));
    },
  }),
];

function shown(hub: Hub): { type: "LOCATION"; latitude: number; longitude: number; isDefault: boolean } {
  const { latitude, longitude } = locationOf(hub);
  return { type: "LOCATION", latitude, longitude, isDefault: hub.location === null };
}
