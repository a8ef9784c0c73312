import type { Controlled } from "../controls/registry.ts";
import { textOf } from "../format.ts";

/** What is told of the air of a room. */
const airOf = ["temperature", "humidity", "co2Ppm"] as const;

const sensor = { type: "SENSOR", capabilities: { values: [] } };

/** Returns the means of what sensors that answer say of the air: attribute and value, in a fixed order. */
export function airIn(
  devices: readonly Controlled[],
): readonly (readonly [attribute: string, value: number])[] {
  return airOf.flatMap((attribute) => {
    const values = devices.flatMap(({ type, state }) => {
      const value = state[attribute];
      // The temperature of a lamp is that of its light.
      const counts = type !== "LIGHT" && state["reachable"] !== false && typeof value === "number";
      return counts ? [value] : [];
    });
    if (values.length === 0) return [];
    return [[attribute, values.reduce((sum, value) => sum + value, 0) / values.length] as const];
  });
}

/** Returns the air in words, such as "21.4 °C · 38 %"; empty where nothing measures it. */
export function airText(devices: readonly Controlled[]): string {
  return airIn(devices)
    .map(([attribute, value]) => textOf(sensor, attribute, value))
    .join(" · ");
}

/** Returns when something last moved (ms); `now` while something does, undefined where nothing would see it. */
export function motionIn(devices: readonly Controlled[]): number | "now" | undefined {
  const reachable = devices.filter(({ state }) => state["reachable"] !== false);
  if (reachable.some(({ state }) => state["motion"] === true)) return "now";
  const times = reachable.flatMap(({ state: { lastMotion } }) =>
    typeof lastMotion === "number" ? [lastMotion] : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}
