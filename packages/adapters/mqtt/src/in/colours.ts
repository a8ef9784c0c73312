import { at, numberIn } from "./point.ts";
import type { Values } from "./source.ts";

const fullCircle = 2 * Math.PI;

/** Returns hue (radians) and saturation (0 to 1) of a colour of Home Assistant's JSON schema: `{h, s}` or `{r, g, b}`. */
export function colourIn(colour: unknown): Values {
  const [h, s] = ["h", "s"].map((key) => numberIn(at(colour, [key])));
  if (h !== undefined && s !== undefined)
    return h >= 0 && h <= 360 && s >= 0 && s <= 100
      ? { hue: (h * Math.PI) / 180, saturation: s / 100, colorMode: "hs" }
      : {};
  const parts = ["r", "g", "b"].map((key) => numberIn(at(colour, [key])));
  if (!parts.every((part): part is number => part !== undefined && part >= 0 && part <= 255)) return {};
  const [red = 0, green = 0, blue = 0] = parts;
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  // Black has no colour.
  if (most === 0) return {};
  const sixth =
    span === 0
      ? 0
      : most === red
        ? ((green - blue) / span + 6) % 6
        : most === green
          ? (blue - red) / span + 2
          : (red - green) / span + 4;
  return { hue: (sixth * Math.PI) / 3, saturation: span / most, colorMode: "hs" };
}

/**
 * Returns the colour that a command means, in the words of a lamp; undefined when it means none. What it leaves out is as
 * the lamp has it.
 */
export function colourOf(kind: "hs" | "rgb", wanted: Values, before: Values): object | undefined {
  const isMeant = ["hue", "saturation"].some((name) => typeof wanted[name] === "number");
  const [hue, saturation] = ["hue", "saturation"].map((name) => wanted[name] ?? before[name] ?? 1);
  if (!isMeant || typeof hue !== "number" || typeof saturation !== "number") return undefined;
  if (hue < 0 || saturation < 0 || saturation > 1) return undefined;
  const turned = hue % fullCircle;
  if (kind === "hs") {
    return { h: Math.round((turned * 180) / Math.PI) % 360, s: Math.round(saturation * 100) };
  }
  const part = (from: number): number => {
    const sixth = (from + (turned * 3) / Math.PI) % 6;
    return Math.round(255 * (1 - saturation * Math.max(0, Math.min(sixth, 4 - sixth, 1))));
  };
  return { r: part(5), g: part(3), b: part(1) };
}
