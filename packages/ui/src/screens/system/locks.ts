import type { Device } from "../../store/wire.ts";

/** The access bits of a device that nobody may configure. */
const lockedRwx = 0o555;

/** Returns the ids of devices by whether they are locked. */
export function byLock(
  devices: readonly Pick<Device, "id" | "rwx">[],
): Readonly<Record<"locked" | "open", readonly string[]>> {
  const locked = devices.filter(({ rwx }) => rwx === lockedRwx).map(({ id }) => id);
  const open = devices.filter(({ rwx }) => rwx !== lockedRwx).map(({ id }) => id);
  return { locked, open };
}
