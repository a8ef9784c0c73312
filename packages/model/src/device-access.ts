import { roles, SUPER_ADMIN } from "./access.ts";
import type { Device } from "./device-object.ts";

/** Read, write (configure) and execute (command) bits for owner, admin and user. */
export const unlockedRwx = 0b111_111_101;

/** Only the owner may configure. */
const ownerRwx = 0b111_101_101;

/** Locked: nobody may configure. */
export const lockedRwx = 0b101_101_101;

/** The possible values of a device's `rwx`. Reading depends on `visible`, commanding on roles. */
export const deviceAccess = [unlockedRwx, ownerRwx, lockedRwx] as const;

/** Returns whether a device is locked, so that nobody may configure or remove it. */
export function isLocked({ rwx }: Pick<Device, "rwx">): boolean {
  return rwx === lockedRwx;
}

/** Returns whether the device lets a role configure and remove it. */
export function mayConfigure({ rwx }: Pick<Device, "rwx">, role: number): boolean {
  const isOwner = (role & (roles.OWNER_ADMIN | SUPER_ADMIN)) !== 0;
  return (rwx & (isOwner ? 0b010_000_000 : 0b000_010_000)) !== 0;
}
