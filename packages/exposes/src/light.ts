import { kelvinOf, miredOf } from "./mired.ts";
import { chromaticityOf, hueSaturationOf } from "./color.ts";
import type { Memory } from "./values.ts";
import { type AttributeValues, isRecord, kept, remembered } from "./values.ts";
import type { Expose } from "./expose.ts";
import type { Meaning } from "./feature.ts";

/** Meanings of a lamp's features by name. */
export const lightFeatures: Readonly<Record<string, (expose: Expose) => Meaning>> = {
  brightness: ({ most }) => brightness(most ?? 254),
  color_temp: temperature,
  color_xy: () => colour,
  color_hs: () => colour,
};

/** Value 1, the lowest at which a lamp is on, is brightness 0.0. */
function brightness(most: number): Meaning {
  const toRaw = (share: number): number => 1 + Math.round(share * (most - 1));
  const fromRaw = (raw: number): number => (Math.max(1, raw) - 1) / (most - 1);
  return {
    attributes: ["brightness"],
    capabilities: ["BRIGHTNESS", "TRANSITION"],
    read: (value, memory) =>
      typeof value === "number" && value >= 0 && value <= most
        ? { brightness: kept(remembered(memory, "brightness"), value, toRaw, fromRaw) }
        : {},
    write: ({ brightness: wanted }) => (typeof wanted === "number" ? toRaw(wanted) : undefined),
  };
}

function temperature({ least, most }: Expose): Meaning {
  return {
    attributes: ["temperature"],
    capabilities: ["COLOR_TEMP", "TRANSITION"],
    read: (value, memory) =>
      typeof value === "number" && value >= 1 && value <= 0xfeff && memory.before["colorMode"] !== "hs"
        ? {
            colorMode: "ct",
            hue: -1,
            saturation: -1,
            temperature: kept(remembered(memory, "temperature"), value, miredOf, kelvinOf),
          }
        : {},
    write({ colorMode, temperature: wanted }) {
      if (colorMode === "hs" || typeof wanted !== "number" || wanted <= 0) return undefined;
      return Math.min(most ?? Infinity, Math.max(least ?? 1, miredOf(wanted)));
    },
  };
}

/** Tolerance for lamps that round a chromaticity to their colour range. */
const xySlack = 0.002;

const colour: Meaning = {
  attributes: ["hue", "saturation", "colorMode"],
  capabilities: ["COLOR_HS", "TRANSITION"],
  read(value, memory) {
    if (!isRecord(value) || memory.before["colorMode"] === "ct") return {};
    const read = polar(value) ?? cartesian(value, memory);
    return read === undefined ? {} : { colorMode: "hs", temperature: -1, ...read };
  },
  write(wanted, before) {
    if (wanted["colorMode"] === "ct") return undefined;
    if (isMeant(wanted["temperature"]) && wanted["colorMode"] !== "hs") return undefined;
    if (!["hue", "saturation"].some((name) => isMeant(wanted[name])) && wanted["colorMode"] !== "hs")
      return undefined;
    const hue = [wanted["hue"], before["hue"]].find(isMeant) ?? 0;
    const saturation = [wanted["saturation"], before["saturation"]].find(isMeant) ?? 1;
    return chromaticityOf({ hue, saturation });
  },
};

/** Hue in degrees, saturation in percent. */
function polar({ hue, saturation, x }: Record<string, unknown>): AttributeValues | undefined {
  if (x !== undefined || typeof hue !== "number" || typeof saturation !== "number") return undefined;
  if (!(hue >= 0 && hue <= 360 && saturation >= 0 && saturation <= 100)) return undefined;
  return { hue: (hue * Math.PI) / 180, saturation: saturation / 100 };
}

function cartesian({ x, y }: Record<string, unknown>, memory: Memory): AttributeValues | undefined {
  if (typeof x !== "number" || typeof y !== "number") return undefined;
  for (const { hue, saturation } of [memory.told, memory.before]) {
    if (!isMeant(hue) || !isMeant(saturation)) continue;
    const was = chromaticityOf({ hue, saturation });
    if (Math.abs(was.x - x) <= xySlack && Math.abs(was.y - y) <= xySlack) return { hue, saturation };
  }
  const read = hueSaturationOf({ x, y });
  return read === undefined ? undefined : { ...read };
}

function isMeant(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
