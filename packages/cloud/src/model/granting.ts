import { roles } from "@ledge/model";

/** What a role may do about the access of others. */
interface Say {
  /** Roles of users, also invited ones, whose access it may change or revoke. */
  readonly over: ReadonlySet<number>;
  /** Roles that it may grant. */
  readonly grants: ReadonlySet<number>;
}

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST } = roles;

/**
 * The one table of who may grant what (hub-api 5.3). A role that is not in it may do nothing. Admins may not
 * manage each other: otherwise one admin could lock out all others.
 */
const says: ReadonlyMap<number, Say> = new Map([
  [
    OWNER_ADMIN,
    {
      over: new Set([USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST]),
      grants: new Set([USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST]),
    },
  ],
  [
    USER_ADMIN,
    {
      over: new Set([IDENTIFIED_USER, REMOTE_GUEST, GUEST]),
      grants: new Set([USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST]),
    },
  ],
]);

/** Returns whether a role may manage anybody's access. */
export function isGranter(role: number): boolean {
  return says.has(role);
}

/** Returns whether a role may give the role `granted` to somebody who has none yet. */
export function mayGrant(role: number, granted: number): boolean {
  return says.get(role)?.grants.has(granted) ?? false;
}

/** Returns whether a role may change or revoke the access of another user with the role `held`. */
export function hasSayOver(role: number, held: number): boolean {
  return says.get(role)?.over.has(held) ?? false;
}
