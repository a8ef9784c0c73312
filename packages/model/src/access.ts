/** Role bits (hub-api 5.3). A caller's role is exactly one of them. */
export const roles = {
  OWNER_ADMIN: 0x40,
  USER_ADMIN: 0x20,
  IDENTIFIED_USER: 0x08,
  REMOTE_GUEST: 0x04,
  GUEST: 0x02,
  ANONYMOUS: 0x01,
} as const;

/** The role of the console: the socket that only root and the hub's own user can open. No user can have it. */
export const SUPER_ADMIN = 0x80;

/** The roles that do not see hidden devices (`visible: false`). */
export const guestRoles: number = roles.GUEST | roles.REMOTE_GUEST;

/** Access masks (hub-api 5.3): a request is allowed when `role & mask > 0`. */
export const accessMasks = {
  SUPER_ADMIN: 0x80,
  OWNER_ADMIN: 0xc0,
  USER_ADMIN: 0xe0,
  IDENTIFIED_USER: 0xf8,
  REMOTE_GUEST: 0xfc,
  GUEST: 0xfe,
  ANONYMOUS: 0xff,
} as const;

/** The name of a role that a user can have. */
export type RoleName = keyof typeof roles;
/** The name of an access mask. */
export type Access = keyof typeof accessMasks;

const knownRoles: ReadonlySet<number> = new Set(Object.values(roles));

/** The roles that an owner or admin can give to others; ownership only moves by transfer. */
export const grantableRoles: ReadonlySet<number> = new Set([
  roles.USER_ADMIN,
  roles.IDENTIFIED_USER,
  roles.REMOTE_GUEST,
  roles.GUEST,
]);

/** Returns whether a number is exactly one of the spec's six role bits. */
export function isRole(value: number): boolean {
  return knownRoles.has(value);
}

/** Returns whether a caller with `role` passes a gate of `access`. */
export function allows(access: Access, role: number): boolean {
  return (role & accessMasks[access]) > 0;
}

/** Returns the stricter of two accesses: the one that admits fewer roles. */
export function stricter(a: Access, b: Access): Access {
  return (accessMasks[a] & accessMasks[b]) === accessMasks[a] ? a : b;
}
