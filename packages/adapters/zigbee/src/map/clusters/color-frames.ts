import { type AttributeValues, chromaticityOf, miredOf } from "@ledge/exposes";
import type { At, Frame } from "../cluster.ts";
import { valuesOf } from "../values.ts";
import { colorCluster, miredRange, wayOf } from "./color-abilities.ts";
import { enhancedHueSteps, hueSteps, hueToRaw, saturationToRaw, xyToRaw } from "./color-units.ts";
import { evenIfOff, tenths } from "./transition.ts";

/** The white of a lamp when no other is known. */
const usualKelvin = 2700;

/** Returns the frame that sets the wanted colour or white. */
export function colorFrames(wanted: AttributeValues, at: At): readonly Frame[] {
  const mode = modeOf(wanted);
  if (mode === undefined) return [];
  const isOff = wanted["isOn"] === false || (wanted["isOn"] !== true && at.before["isOn"] === false);
  const how = { transtime: tenths(wanted), ...(isOff ? evenIfOff : {}) };
  return [mode === "ct" ? white(wanted, at, how) : colour(wanted, at, how)];
}

/** Clients send whole states with both modes: the explicit mode wins, else white. */
function modeOf(wanted: AttributeValues): "hs" | "ct" | undefined {
  const { colorMode } = wanted;
  if (colorMode === "hs" || colorMode === "ct") return colorMode;
  if (told(wanted, "temperature") !== undefined) return "ct";
  return told(wanted, "hue") === undefined && told(wanted, "saturation") === undefined ? undefined : "hs";
}

function white(wanted: AttributeValues, { endpoint, before }: At, how: object): Frame {
  const range = miredRange(valuesOf(endpoint.values, colorCluster));
  const kelvin = told(wanted, "temperature") ?? told(before, "temperature") ?? usualKelvin;
  const colortemp = Math.min(range.most ?? 0xfeff, Math.max(range.least ?? 1, miredOf(kelvin)));
  return { kind: "command", name: "moveToColorTemp", payload: { colortemp, ...how } };
}

function colour(wanted: AttributeValues, at: At, how: object): Frame {
  const hue = told(wanted, "hue") ?? told(at.before, "hue") ?? 0;
  const saturation = told(wanted, "saturation") ?? told(at.before, "saturation") ?? 1;
  const way = wayOf(at);
  if (way === "xy") {
    const { x, y } = chromaticityOf({ hue, saturation });
    const payload = { colorx: xyToRaw(x), colory: xyToRaw(y), ...how };
    return { kind: "command", name: "moveToColor", payload };
  }
  const level = { saturation: saturationToRaw(saturation), ...how };
  if (way === "hs") {
    const payload = { hue: hueToRaw(hue, hueSteps), ...level };
    return { kind: "command", name: "moveToHueAndSaturation", payload };
  }
  const payload = { enhancehue: hueToRaw(hue, enhancedHueSteps), ...level };
  return { kind: "command", name: "enhancedMoveToHueAndSaturation", payload };
}

const most: Readonly<Record<string, number>> = { hue: 2 * Math.PI, saturation: 1, temperature: 1e6 };

/** Returns a value unless it is -1, which means that the lamp is in the other colour mode. */
function told(values: AttributeValues, name: "hue" | "saturation" | "temperature"): number | undefined {
  const value = values[name];
  return typeof value === "number" && value >= 0 && value <= (most[name] ?? 0) ? value : undefined;
}
