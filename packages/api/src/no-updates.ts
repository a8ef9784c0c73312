import type { HubUpdates } from "./ports.ts";
import { Refused } from "./refused.ts";

/** For a machine without slots. */
export function noUpdates(release: string): HubUpdates {
  const reason = "this machine has no updates of its own: update its package, or write a new image";
  const nothing = { version: null, pctComplete: null, available: null, outcome: null, previous: null };
  return {
    status: () => ({ type: "HUB_UPDATE", release, updatesItself: false, phase: "IDLE", ...nothing }),
    check: async () => new Refused(422, reason),
    problem: () => reason,
    begin: async () => new Refused(422, reason),
  };
}
