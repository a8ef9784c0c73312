import { numberIn } from "./point.ts";
import type { Values } from "./source.ts";

/** Reads a brightness of 1 to `most`, as a number or a text; nothing for another value. */
export function brightnessIn(value: unknown, most: number): Values {
  const level = numberIn(value);
  return level === undefined || level < 1 || level > most ? {} : { brightness: (level - 1) / (most - 1) };
}

/** Returns the level of 1 to `most` of a brightness of 0 to 1. */
export function levelOf(brightness: number, most: number): number {
  return 1 + Math.round(brightness * (most - 1));
}

/** Reads how far a cover is open, %; nothing for an impossible value. */
export function liftIn(percent: number | undefined): Values {
  return percent !== undefined && percent >= 0 && percent <= 100
    ? { liftPct: percent, position: percent / 100 }
    : {};
}

/** Returns how far a cover shall open, %; undefined when nothing is wanted of it. */
export function wantedLift({ liftPct, position }: Values): number | undefined {
  if (typeof liftPct === "number") return liftPct;
  return typeof position === "number" ? position * 100 : undefined;
}
