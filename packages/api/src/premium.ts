import { allows, features } from "@ledge/model";
import { hubOf } from "./call.ts";
import { forbidden, type Refused } from "./refused.ts";
import type { Call } from "./row.ts";

/** Refuses everyone but the owner if PREMIUM is on: administrators may not change what the owner has set up. */
export function refusedToAdmins({ hub, caller }: Call, what: string): Refused | undefined {
  const isPremium = hubOf(hub).features.includes(features.PREMIUM);
  return isPremium && !allows("OWNER_ADMIN", caller.role) ? forbidden(`the owner alone ${what}`) : undefined;
}
