import { FeatureSwitch, featureSwitches, FeatureWanted, type HubCommand } from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import { refusedToAdmins } from "../premium.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit } from "../submit.ts";

const FeatureSwitches = Type.Array(FeatureSwitch);

/** The hub API turns features on by codes alone: their switches are added. */
export const featureSwitchRows = [
  row({
    method: "GET",
    path: "/hub/featureswitches",
    summary: "The features of this hub that can be switched, and which are on",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    result: FeatureSwitches,
    handle: ({ hub: ports }) => featureSwitches(hubOf(ports)),
  }),
  row({
    method: "PUT",
    path: "/hub/featureswitches",
    summary: "Switches features of this hub off or on; adapters stop and start with theirs",
    access: "USER_ADMIN",
    body: FeatureWanted,
    list: true,
    result: FeatureSwitches,
    async handle(call) {
      const refused = refusedToAdmins(call, "switches features");
      if (refused !== undefined) return refused;
      const { hubId: id } = call.hub;
      const commands = call.body.map(({ feature, isOn }): HubCommand => ({
        type: "SWITCH_FEATURE",
        id,
        feature,
        isOn,
      }));
      const done = await submit(call, commands);
      return done instanceof Refused ? done : featureSwitches(hubOf(call.hub));
    },
  }),
];
