import type { Controlled } from "../controls/registry.ts";
import { textOf } from "../format.ts";
import { t } from "../texts/texts.ts";

/** What a tile says of a device, the most important first. */
const told = [
  "locked",
  "sirenOn",
  "alert",
  "coDetected",
  "moisture",
  "open",
  "motion",
  "isOn",
  "targetTemperature",
  "mode",
  "position",
  "twilight",
  "temperature",
  "humidity",
  "co2Ppm",
  "pressure",
  "activePower",
] as const;

const most = 2;

/**
 * Returns a device's state in a few words, such as "On, 65 %".
 * @param values what to show in place of reported values
 */
export function summaryOf(device: Controlled, values: Readonly<Record<string, unknown>> = {}): string {
  if (device.state["reachable"] === false) return t("device.unreachable");
  const state = { ...device.state, ...values };
  const texts: string[] = [];
  for (const attribute of told) {
    const value = state[attribute];
    if (value === undefined || value === null || isOfLamp(device, attribute)) continue;
    if (attribute === "isOn" && state["sirenOn"] !== undefined) continue;
    texts.push(textOf(device, attribute, value));
    if (attribute === "isOn" && value === true && typeof state["brightness"] === "number")
      texts.push(textOf(device, "brightness", state["brightness"]));
    if (texts.length >= most) break;
  }
  return texts.slice(0, most).join(", ");
}

/** The temperature of a lamp is that of its light, and what it uses matters to few. */
function isOfLamp({ type }: Controlled, attribute: string): boolean {
  return type === "LIGHT" && (attribute === "temperature" || attribute === "activePower");
}
