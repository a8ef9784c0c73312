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

type Values = Readonly<Record<string, unknown>>;

function valueOf({ state }: Controlled, values: Values, attribute: string): unknown {
  return Object.hasOwn(values, attribute) ? values[attribute] : state[attribute];
}

/** Whether a device is on. @param values what to show in place of reported values */
export function isLit(device: Controlled, values: Values): boolean {
  return valueOf(device, values, "isOn") === true;
}

/**
 * Returns a device's state in a few words, such as "On, 65 %".
 * @param values what to show in place of reported values
 */
export function summaryOf(device: Controlled, values: Values = {}): string {
  if (device.state["reachable"] === false) return t("device.unreachable");
  const shown = (attribute: string): unknown => valueOf(device, values, attribute);
  const texts: string[] = [];
  for (const attribute of told) {
    const value = shown(attribute);
    if (value === undefined || value === null || isOfLamp(device, attribute)) continue;
    if (attribute === "isOn" && shown("sirenOn") !== undefined) continue;
    texts.push(...worded(device, attribute, value, shown("temperature")));
    const brightness = attribute === "isOn" && value === true ? shown("brightness") : undefined;
    if (typeof brightness === "number") texts.push(textOf(device, "brightness", brightness));
    if (texts.length >= most) break;
  }
  return texts.slice(0, most).join(", ");
}

/** Returns the attribute that says most of a device; undefined for a device that shows nothing. */
export function mainAttribute(device: Controlled): string | undefined {
  const { state } = device;
  if (state["reachable"] === false) return "reachable";
  return told.find((name) => state[name] !== undefined && state[name] !== null && !isOfLamp(device, name));
}

/** A number alone does not say whether it is measured or wanted, nor how far open half a blind is. */
function worded(device: Controlled, attribute: string, value: unknown, measured: unknown): readonly string[] {
  const text = textOf(device, attribute, value);
  if (attribute === "targetTemperature") {
    const wanted = t("summary.setTo", { value: text });
    return typeof measured === "number" ? [textOf(device, "temperature", measured), wanted] : [wanted];
  }
  if (attribute !== "position") return [text];
  if (value === 0 || value === 1) return [t(value === 1 ? "value.open" : "value.closed")];
  return [t("summary.openBy", { value: text })];
}

/** The temperature of a lamp is that of its light, and what it uses matters to few. */
function isOfLamp({ type }: Controlled, attribute: string): boolean {
  return type === "LIGHT" && (attribute === "temperature" || attribute === "activePower");
}
