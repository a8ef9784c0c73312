import { roles } from "@ledge/model";

/** A right: read, control, administer, own. */
export type Right = "R" | "C" | "A" | "O";

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST, ANONYMOUS } = roles;

/** The rights that a role at a hub gives, to the hub and its register. A guest is served at home only. */
const granted: ReadonlyMap<number, string> = new Map([
  [OWNER_ADMIN, "RCAO"],
  [USER_ADMIN, "RCA"],
  [IDENTIFIED_USER, "RC"],
  [REMOTE_GUEST, "R"],
]);

/** Returns whether a role at a hub gives a right to it. */
export function gives(role: number | undefined, right: Right): boolean {
  return role !== undefined && (granted.get(role)?.includes(right) ?? false);
}

/** Says why a right is missing to something that the caller may read. */
export const forbidden: Readonly<Record<Right, string>> = {
  R: "your role does not let you read this",
  C: "your role does not let you control this",
  A: "your role does not let you administer this",
  O: "only the owner may do this",
};

/** The names of roles in Graph (platform-api 2.4). */
export const roleNames = ["OWNER", "ADMIN", "USER", "REMOTEGUEST", "GUEST", "ANONYMOUS"] as const;
export type RoleName = (typeof roleNames)[number];

const named: Readonly<Record<RoleName, number>> = {
  OWNER: OWNER_ADMIN,
  ADMIN: USER_ADMIN,
  USER: IDENTIFIED_USER,
  REMOTEGUEST: REMOTE_GUEST,
  GUEST,
  ANONYMOUS,
};

/** Returns the role bit (hub-api 5.3) of a name. */
export function roleOf(name: RoleName): number {
  return named[name];
}

/** Returns the name of a role bit. */
export function nameOf(role: number): RoleName {
  return roleNames.find((name) => named[name] === role) ?? "ANONYMOUS";
}
