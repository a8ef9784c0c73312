import type { Device } from "./device.ts";

/** Read, write (configure), execute (command) of owner, admin and user. */
export const unlockedRwx = 0b111_111_101;

/** Locked: nobody configures. */
export const lockedRwx = 0b101_101_101;

/** Whether nobody may configure or remove a device. */
export function isLocked({ rwx }: Pick<Device, "rwx">): boolean {
  return rwx === lockedRwx;
}
