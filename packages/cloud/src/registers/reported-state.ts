import type { DeviceRow } from "@ledge/fleet";

/** Returns the state that a hub has last told of a device, as it serves it; null when it has told none. */
export function reportedState({ object }: Pick<DeviceRow, "object">): Record<string, unknown> | null {
  const state = object?.["state"];
  const isObject = typeof state === "object" && state !== null && !Array.isArray(state);
  return isObject ? (state as Record<string, unknown>) : null;
}
