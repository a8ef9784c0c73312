import type { Command, Reaction } from "@ledge/model";
import { idsOf, namedIn } from "@ledge/model";

/** Clears a removed device, group or scene from rules, so that the next change of a rule need not repair it. */
export const removedFromRules: Reaction = {
  name: "removed from rules",
  on: ["DeviceRemoved", "GroupRemoved", "SceneRemoved"],
  react: ({ id: gone }, read) =>
    idsOf("rule", read)
      .filter((id) => {
        const rule = read.get("rule", id);
        return rule !== undefined && namedIn(rule.config).includes(gone);
      })
      .map((id) => ({ type: "DROP_FROM_RULE", id, gone }) as Command),
};
