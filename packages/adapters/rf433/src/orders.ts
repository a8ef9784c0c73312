import { AdapterError } from "@ledge/port";
import type { Kind } from "./kinds.ts";
import type { Sending } from "./rflink.ts";
import type { Values } from "./signal.ts";

/**
 * Returns the order that sets attributes, and what the device then shows if it has heard.
 * @throws AdapterError `unsupported`
 */
export function orderFor(
  kind: Kind,
  wanted: Readonly<Record<string, unknown>>,
): { readonly order: Sending["order"]; readonly shows: Values } {
  const { isOn, brightness, position, liftPct, stop } = wanted;
  if (kind === "cover") {
    if (stop === true) return { order: "stop", shows: {} };
    const to = typeof position === "number" ? position : typeof liftPct === "number" ? liftPct / 100 : NaN;
    if (Number.isNaN(to)) throw new AdapterError("unsupported", "the cover opens, closes and stops");
    const isUp = to >= 0.5;
    return { order: isUp ? "up" : "down", shows: { position: isUp ? 1 : 0, liftPct: isUp ? 100 : 0 } };
  }
  if (kind === "dimmer" && typeof brightness === "number" && isOn !== false) {
    if (brightness === 0) return { order: "off", shows: { isOn: false } };
    return { order: { level: brightness }, shows: { isOn: true, brightness } };
  }
  if (["socket", "lamp", "dimmer"].includes(kind) && typeof isOn === "boolean")
    return { order: isOn ? "on" : "off", shows: { isOn } };
  throw new AdapterError("unsupported", `a ${kind} takes no such command`);
}
