/** Values from a device by name: of any type, unchecked. */
export type Values = Readonly<Record<string, unknown>>;

/** Values of a device by attribute (names and units: `attributes` of @ledge/model). */
export type AttributeValues = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Remembered values of a unit by attribute. */
export interface Memory {
  /** The last reported values, overlaid by commands since. */
  readonly before: Values;
  /** The last commanded values, whatever was reported since. */
  readonly told: Values;
}

/** Returns the remembered values that a device's rounded value may stand for. */
export function remembered({ told, before }: Memory, name: string): readonly unknown[] {
  return [told[name], before[name]];
}

/**
 * Returns the value of an attribute for a raw value. Devices round: a raw value that matches a remembered
 * value is that value.
 * @param meant the values that it may stand for, likeliest first
 * @param slack how far the raw values may differ
 */
export function kept(
  meant: readonly unknown[],
  raw: number,
  toRaw: (value: number) => number,
  fromRaw: (raw: number) => number,
  slack = 0,
): number {
  const isMeant = (value: unknown): value is number =>
    typeof value === "number" && Math.abs(toRaw(value) - raw) <= slack;
  return meant.find(isMeant) ?? fromRaw(raw);
}
