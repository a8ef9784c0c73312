import { type Command, type Hub, Sharing } from "@ledge/model";
import type Type from "typebox";
import { hubOf } from "../call.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit } from "../submit.ts";

/** What the cloud may keep of the home is added: the hub API knows no platform. */
export const sharing = [
  row({
    method: "GET",
    path: "/hub/sharing",
    summary: "What the cloud keeps of the home",
    access: "OWNER_ADMIN",
    feature: "EVENTS",
    past: "OWNER_ADMIN",
    result: Sharing,
    handle: ({ hub: ports }) => shown(hubOf(ports)),
  }),
  row({
    method: "PUT",
    path: "/hub/sharing",
    summary: "Sets what the cloud keeps of the home: `none`, or the `states` of its devices and its alarms",
    access: "OWNER_ADMIN",
    feature: "EVENTS",
    body: Sharing,
    result: Sharing,
    async handle(call) {
      const command = { type: "SET_SHARE", id: call.hub.hubId, share: call.body.share } as Command;
      const done = await submit(call, [command]);
      return done instanceof Refused ? done : shown(hubOf(call.hub));
    },
  }),
];

function shown({ share }: Pick<Hub, "share">): Type.Static<typeof Sharing> {
  return { type: "SHARING", share };
}
