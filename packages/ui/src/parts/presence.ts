import { compareTexts } from "../store/collection.ts";
import type { Device } from "../store/wire.ts";

/**
 * Returns the names of the users of whom a browser or phone says that they are at home, each once and sorted.
 * @param devices UI_DEVICEs @param nameOf returns the name of a user; empty for one that the page does not know
 */
export function namesAtHome(
  devices: readonly Pick<Device, "name" | "state">[],
  nameOf: (user: string) => string,
): readonly string[] {
  const names = devices
    .filter(({ state }) => state["reachable"] === true)
    .map(({ name, state }) => nameOf(String(state["user"])) || name);
  return [...new Set(names)].toSorted(compareTexts);
}
