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
