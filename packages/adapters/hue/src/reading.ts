import { isRecord } from "@ledge/exposes";

/** What a bridge says is not trusted: these read a part of it, or nothing. */
export const recordIn = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Returns the entries of an object whose values are objects, at most `most`. */
export function entriesIn(
  value: unknown,
  most = 2000,
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  return Object.entries(recordIn(value))
    .slice(0, most)
    .flatMap(([key, each]) => (isRecord(each) ? [[key, each] as const] : []));
}

export function listIn(value: unknown, most = 5000): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.slice(0, most).filter(isRecord) : [];
}

export function numberIn(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

export function wordIn(value: unknown, most = 64): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, most) : null;
}
