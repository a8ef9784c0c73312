import type { ServedDevice } from "./home.ts";

/** An entity of Home Assistant, without what all entities of a hub share. */
export interface Entity {
  /** The integration that has it, such as `light`. */
  readonly component: string;
  /** What tells it from other entities of its object. */
  readonly key: string;
  /** Its name beside that of the object; null: it is the object itself. */
  readonly name: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The topics of one object. */
export interface Places {
  readonly state: string;
  readonly part: (part: string) => string;
  readonly set: string;
  readonly setOne: (attribute: string) => string;
  readonly setPart: (part: string) => string;
}

/** What entities are made for. */
export interface Wanted {
  readonly device: ServedDevice;
  readonly places: Places;
  /** Whether clients may set an attribute. */
  readonly takes: (attribute: string) => boolean;
}

export function can({ capabilities }: ServedDevice, ...names: readonly string[]): boolean {
  return names.some((name) => capabilities.includes(name));
}

/** Whether a device has an attribute, even if its value is not known yet. */
export function has({ state }: ServedDevice, attribute: string): boolean {
  return Object.hasOwn(state, attribute);
}

export function numberOf({ state }: Pick<ServedDevice, "state">, attribute: string): number | undefined {
  const value = state[attribute];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A template for a value of the state. */
export function valueOf(attribute: string): string {
  return `{{ value_json['${attribute}'] }}`;
}

/** A template for a boolean of the state, which is ON or OFF, and unknown while nobody knows. */
export function onOffOf(attribute: string): string {
  const value = `value_json['${attribute}']`;
  return `{{ 'None' if ${value} is none else 'ON' if ${value} else 'OFF' }}`;
}
