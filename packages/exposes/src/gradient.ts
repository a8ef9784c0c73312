import type { Meaning } from "./feature.ts";

const most = 64;
const color = /^#[0-9a-fA-F]{6}$/;

/** The colours of a lamp's segments, as a list of `#rrggbb`. */
export function gradientOf(): Meaning {
  return {
    attributes: ["gradient"],
    capabilities: ["GRADIENT"],
    read: (value) => (isGradient(value) ? { gradient: [...value] } : {}),
    write: ({ gradient }) => (isGradient(gradient) ? gradient : undefined),
  };
}

function isGradient(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > most) return false;
  return value.every((each) => typeof each === "string" && color.test(each));
}
