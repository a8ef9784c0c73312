import { limits, roles } from "@ledge/model";
import { plainName } from "../mail/shown-name.ts";
import type { Claim } from "../model/authorization-state.ts";
import type { Clone } from "../model/registration.ts";
import type { CloudParts } from "../parts.ts";
import { timeOf } from "../model/submitting.ts";

/** A hub that an account has access to. */
export interface OwnHub {
  readonly hubId: string;
  /** The hub's own name, made safe by `plainName`. */
  readonly name: string;
  readonly version: string;
  readonly role: number;
  readonly owner: boolean;
  /** Since when the account has this role (ms). */
  readonly since: number;
  /** How the hub named this user as its owner; null for users who were invited or given the hub. */
  readonly claimed: Claim | null;
  /** Set when another hub with the same identity has lately asked for the link. */
  readonly clone: Clone | null;
}

/** An invitation that an account can accept. */
export interface OwnInvitation {
  readonly hubId: string;
  readonly name: string;
  readonly role: number;
  /** Email address of the inviter. */
  readonly by: string;
  /** Until when it can be accepted (ms). */
  readonly expires: number;
}

type Asked = Pick<CloudParts, "kernel" | "directory">;

/** Returns the hubs of an account. @param isServed as for `Hubs.hubKeys` */
export function hubsOf(
  { kernel, directory }: Asked,
  account: string,
  isServed: (version: string) => boolean,
): OwnHub[] {
  const found: OwnHub[] = [];
  for (const hubId of directory.hubsOf(account)) {
    const registration = kernel.get("registration", hubId);
    const state = kernel.get("authorizations", hubId);
    const held = state?.users.find(({ user }) => user === account);
    if (held === undefined || registration === undefined || !isServed(registration.version)) continue;
    const { role, since } = held;
    const owner = role === roles.OWNER_ADMIN;
    const { version, clone } = registration;
    const name = plainName(registration.name ?? "Ledge");
    const claimed = (owner && state?.claim) || null;
    found.push({ hubId, name, version, role, owner, since, claimed, clone });
  }
  return found;
}

/**
 * Returns the open invitations of an account, newest first, at most `limits.invitationsShown`. @param
 * isServed as above
 */
export function invitationsOf(
  { kernel, directory }: Asked,
  account: string,
  isServed: (version: string) => boolean,
): OwnInvitation[] {
  const now = timeOf(kernel);
  const found: OwnInvitation[] = [];
  for (const hubId of directory.hubsOf(account)) {
    const registration = kernel.get("registration", hubId);
    const state = kernel.get("authorizations", hubId);
    const invitation = state?.invitations.find(({ user }) => user === account);
    if (invitation === undefined || invitation.expires <= now) continue;
    if (registration === undefined || !isServed(registration.version)) continue;
    const { role, by, expires } = invitation;
    const email = kernel.get("account", by)?.email ?? "";
    found.push({ hubId, name: plainName(registration.name ?? "Ledge"), role, by: email, expires });
  }
  return found.toSorted((one, other) => other.expires - one.expires).slice(0, limits.invitationsShown);
}
