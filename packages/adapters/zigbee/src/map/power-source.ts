import type { NodeFacts } from "./facts.ts";

/** Whether a device runs on batteries, by what it says of itself; a sleeping one that does not say so does. */
export function isBattery({ powerSource, type }: Pick<NodeFacts, "powerSource" | "type">): boolean {
  if (powerSource === "Battery") return true;
  return (powerSource === null || powerSource === "Unknown") && type === "EndDevice";
}
