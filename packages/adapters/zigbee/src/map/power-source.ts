import type { NodeFacts } from "./facts.ts";

/**
 * Whether a device reports to run on batteries. A sleepy device without a reported source counts as
 * battery-powered.
 */
export function isBattery({ powerSource, type }: Pick<NodeFacts, "powerSource" | "type">): boolean {
  if (powerSource === "Battery") return true;
  return (powerSource === null || powerSource === "Unknown") && type === "EndDevice";
}
