import { roles } from "@ledge/model";

/** What a role may do about the access of others. */
interface Say {
  /** Roles of those whose access it may change or take away, invited ones included. */
  readonly over: ReadonlySet<number>;
  /** Roles that it may give. */
  readonly grants: ReadonlySet<number>;
}

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST } = roles;

/**
 * The one table of who may grant what (hub-api 5.3); a role that is not in it has no say. One admin has none over
 * another: if they could revoke each other, one of them could shut out all the rest.
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

/** Whether a role has a say over the access of anybody. */
export function isGranter(role: number): boolean {
  return says.has(role);
}

/** Whether somebody of a role may give the role `granted` to somebody who has none yet. */
export function mayGrant(role: number, granted: number): boolean {
  return says.get(role)?.grants.has(granted) ?? false;
}

/** Whether somebody of a role may change or take away the access of somebody else, who holds the role `held`. */
export function hasSayOver(role: number, held: number): boolean {
  return says.get(role)?.over.has(held) ?? false;
}
