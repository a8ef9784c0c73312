import type { Cloud } from "../cloud.ts";
import type { Registration } from "../model/registration.ts";
import type { GraphCaller } from "./caller.ts";
import { type Failed, notFound } from "./errors.ts";
import { gives, type Right } from "./rights.ts";
import { lacking } from "./tenancy-targets.ts";

/** A hub that the caller may read. */
export interface HubTarget {
  readonly hubId: string;
  /** The caller's role there (hub-api 5.3). */
  readonly role: number;
  readonly registration: Registration;
}

/**
 * Returns a hub, if the caller has the right to it.
 * @param field names the hub in the message
 * @param what the id is to be that of, in words
 */
export function hubTarget(
  hubId: string,
  right: Right,
  { account }: GraphCaller,
  { kernel, sharing }: Pick<Cloud, "kernel" | "sharing">,
  field = "hubId",
  what = "hub",
): HubTarget | Failed {
  const registration = kernel.get("registration", hubId);
  const role = sharing.roleOf(account, hubId);
  if (registration === undefined || role === undefined || !gives(role, "R"))
    return notFound(what, hubId, field);
  return gives(role, right) ? { hubId, role, registration } : lacking(right, field);
}
