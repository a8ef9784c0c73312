import type { Device } from "../../store/wire.ts";

/** What a reader gets elsewhere, or twice, or what only programs need. */
const left: ReadonlySet<string> = new Set([
  "type",
  "lastSeen",
  "transitionMsec",
  "colorMode",
  "minTemperature",
  "maxTemperature",
  "targetTemp",
  "power",
  "liftPct",
  "extras",
  "media",
  "twilightStart",
  "twilightStop",
  "alertAt",
  "alertStartAt",
  "moistureAt",
  "coAt",
  "coStartAt",
  "modifiers",
]);

/** A lamp shows -1 for a colour mode that it is not in. */
const otherMode = -1;
const modal: ReadonlySet<string> = new Set(["hue", "saturation", "temperature"]);

/** Returns the attributes of a device that a reader sees, in the order of its state; values that are objects are not. */
export function shownAttributes({ type, state }: Pick<Device, "type" | "state">): readonly string[] {
  return Object.entries(state).flatMap(([name, value]) => {
    if (left.has(name) || value === null || value === undefined || typeof value === "object") return [];
    if (type === "LIGHT" && modal.has(name) && value === otherMode) return [];
    return [name];
  });
}
