/** Attributes of a device by name, as reported or commanded. */
export type AttributeValues = Readonly<Record<string, unknown>>;

/** A value of a node, as the library has it (a value id, and what its metadata say). */
export interface NodeValue {
  /** The number of its command class. */
  readonly commandClass: number;
  readonly endpoint: number;
  readonly property: string | number;
  readonly propertyKey?: string | number;
  readonly value: unknown;
  /** The unit of a number, such as `°C`. */
  readonly unit?: string;
  /** Of a meter: what it measures. */
  readonly meterType?: number;
}

/** What is known of a node that its units depend on. */
export interface NodeFacts {
  readonly values: readonly NodeValue[];
  /** The generic and specific device class of each endpoint (SDS10242). */
  readonly classes: ReadonlyMap<number, readonly [generic: number, specific: number]>;
  readonly manufacturer: string | null;
  readonly model: string | null;
}

/** Returns a number within its range; undefined for anything else, such as what a damaged frame says. */
export function numberIn(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}

/** Rounds to this many decimals, to hide the errors of binary fractions. */
export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
