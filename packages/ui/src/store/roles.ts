import type { roles as rolesOfHub } from "@ledge/model";
import { role } from "./home.ts";

/** Roles (hub-api 5.3) that the interface tells apart. Whoever has one may do what lower ones may. */
export const roles = {
  GUEST: 2,
  IDENTIFIED_USER: 8,
  USER_ADMIN: 32,
  OWNER_ADMIN: 64,
} as const satisfies Partial<typeof rolesOfHub>;

/** Whether the user has a role now, or a higher one. */
export function isAtLeast(least: keyof typeof roles): boolean {
  return role.value >= roles[least];
}

/** A guest from afar (hub-api 5.3), who sends the hub questions alone. */
const looker = 4;

/** Whether the user may switch devices and scenes, and not only look at them. */
export function mayUse(): boolean {
  return role.value !== looker;
}

/** The roles that people of the cloud are given, the highest first. */
export const grantedRoles = [32, 8, 4, 2] as const;
