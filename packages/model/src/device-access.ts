import { roles, SUPER_ADMIN } from "./access.ts";
import type { Device } from "./device-object.ts";

/** Read, write (configure), execute (command) of owner, admin and user. */
export const unlockedRwx = 0b111_111_101;

/** Only the owner configures. */
const ownerRwx = 0b111_101_101;

/** Locked: nobody configures. */
export const lockedRwx = 0b101_101_101;

/** What a device's `rwx` can be. Who may read a device is said by `visible`, who may command it by roles. */
export const deviceAccess = [unlockedRwx, ownerRwx, lockedRwx] as const;

/** Whether nobody may configure or remove a device. */
export function isLocked({ rwx }: Pick<Device, "rwx">): boolean {
  return rwx === lockedRwx;
}

/** Whether a role may configure and remove a device, as far as the device says. */
export function mayConfigure({ rwx }: Pick<Device, "rwx">, role: number): boolean {
  const isOwner = (role & (roles.OWNER_ADMIN | SUPER_ADMIN)) !== 0;
  return (rwx & (isOwner ? 0b010_000_000 : 0b000_010_000)) !== 0;
}
