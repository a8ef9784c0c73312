import {
  type AttributeValues,
  type Values,
  chromaticityOf,
  hueSaturationOf,
  kelvinOf,
  kept,
  miredOf,
  remembered,
} from "@ledge/exposes";
import type { At } from "../cluster.ts";
import { integer } from "../values.ts";
import { miredRange, wayOf } from "./color-abilities.ts";
import {
  enhancedHueSteps,
  hueFromRaw,
  hueSteps,
  hueToRaw,
  saturationFromRaw,
  saturationToRaw,
  xyFromRaw,
  xyToRaw,
} from "./color-units.ts";

/** Tolerance for lamps that round a chromaticity to their colour range. */
const xySlack = 130;

/** Maps a lamp's colour. In mode `ct` hue and saturation read -1, in mode `hs` the temperature does. */
export function colorReading(values: Values, at: At): AttributeValues {
  const { least, most } = miredRange(values);
  return {
    ...(least !== undefined && { maxTemperature: kelvinOf(least) }),
    ...(most !== undefined && { minTemperature: kelvinOf(most) }),
    ...shown(values, at),
  };
}

function shown(values: Values, at: At): AttributeValues {
  const mode = modeOf(values, at);
  if (mode === "ct") {
    const mired = integer(values, "colorTemperature", 1, 0xfeff);
    return {
      colorMode: mode,
      hue: -1,
      saturation: -1,
      ...(mired !== undefined && {
        temperature: kept(remembered(at, "temperature"), mired, miredOf, kelvinOf),
      }),
    };
  }
  if (mode === undefined) return {};
  const color = colorOf(values, at);
  return { colorMode: mode, temperature: -1, ...color };
}

/** Only a lamp with both modes must report its mode; some also report x and y for their whites. */
function modeOf(values: Values, at: At): "hs" | "ct" | undefined {
  const { capabilities } = at.unit;
  const ct = capabilities.includes("COLOR_TEMP");
  if (!capabilities.includes("COLOR_HS")) return says(values, colours) ? "ct" : undefined;
  if (!ct) return says(values, colours) ? "hs" : undefined;
  const said = integer(values, "enhancedColorMode", 0, 3) ?? integer(values, "colorMode", 0, 2);
  if (said !== undefined) return said === 2 ? "ct" : "hs";
  if (!says(values, colours)) return undefined;
  const { colorMode } = at.before;
  return colorMode === "hs" || colorMode === "ct" ? colorMode : undefined;
}

const colours = [
  "colorTemperature",
  "currentX",
  "currentY",
  "currentHue",
  "enhancedCurrentHue",
  "currentSaturation",
  "colorMode",
] as const;

function says(values: Values, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(values, name));
}

function colorOf(values: Values, at: At): AttributeValues {
  return wayOf(at) === "xy" ? xyOf(values, at) : polarOf(values, at);
}

function polarOf(values: Values, at: At): AttributeValues {
  const enhanced = integer(values, "enhancedCurrentHue", 0, 0xffff);
  const plain = integer(values, "currentHue", 0, 254);
  const raw = enhanced ?? plain;
  // A lamp that was set to an enhanced hue may round its plain hue either way.
  const [steps, slack] = enhanced === undefined ? [hueSteps, 1] : [enhancedHueSteps, 0];
  const saturation = integer(values, "currentSaturation", 0, 254);
  const toRaw = (hue: number): number => hueToRaw(hue, steps);
  return {
    ...(raw !== undefined && {
      hue: kept(remembered(at, "hue"), raw, toRaw, (value) => hueFromRaw(value, steps), slack),
    }),
    ...(saturation !== undefined && {
      saturation: kept(remembered(at, "saturation"), saturation, saturationToRaw, saturationFromRaw),
    }),
  };
}

function xyOf(values: Values, at: At): AttributeValues {
  const x = integer(values, "currentX", 0, 0xfeff);
  const y = integer(values, "currentY", 0, 0xfeff);
  if (x === undefined || y === undefined) return {};
  for (const meant of [at.told, at.before]) {
    const hue = known(meant["hue"]);
    const saturation = known(meant["saturation"]);
    if (hue === undefined || saturation === undefined) continue;
    const was = chromaticityOf({ hue, saturation });
    const isSame = Math.abs(xyToRaw(was.x) - x) <= xySlack && Math.abs(xyToRaw(was.y) - y) <= xySlack;
    if (isSame) return { hue, saturation };
  }
  return { ...hueSaturationOf({ x: xyFromRaw(x), y: xyFromRaw(y) }) };
}

/** Returns a number unless it is -1, which means that the lamp is in the other colour mode. */
function known(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
