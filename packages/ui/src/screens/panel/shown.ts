import { type Control, type Controlled, controlsOf } from "../../controls/registry.ts";

/** What people reach for on a wall; colours, presets and the like stand on the page of the device. */
const ofWall: ReadonlySet<string> = new Set([
  "isOn",
  "brightness",
  "targetTemperature",
  "position",
  "openPct",
  "locked",
  "sirenOn",
  "volume",
]);
const mostControls = 2;

/** Returns the controls that a panel has of a device: one of an attribute, two at most. */
export function wallControls(device: Controlled): readonly Control[] {
  const found = new Map<string, Control>();
  for (const control of controlsOf(device)) {
    const name = control.part ?? control.attribute;
    if (ofWall.has(name) && !found.has(name)) found.set(name, control);
  }
  return [...found.values()].slice(0, mostControls);
}

/** What is told of a room as a whole. */
const airOf = ["temperature", "humidity", "co2Ppm"] as const;

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
