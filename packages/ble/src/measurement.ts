/**
 * A value of a sensor. `quantity` is a name of the format in snake case, such as `temperature`; the unit is that of the
 * quantity. `index` counts from 1 the values of the same quantity in one advertisement.
 */
export interface Measurement {
  readonly quantity: string;
  readonly index: number;
  readonly value: number | boolean | string;
  readonly unit: string | null;
}

/** Something that happened at a sensor, such as a press of button 2. `steps` of a turned knob. */
export interface SensorEvent {
  readonly source: "button" | "dimmer";
  /** From 1. */
  readonly index: number;
  /** Such as `press`, `double_press`, `long_press`, `rotate_left`. */
  readonly event: string;
  readonly steps?: number;
}

export type BleFormat = "bthome" | "ruuvi" | "mibeacon";

/** What an advertisement says. */
export interface Reading {
  readonly format: BleFormat;
  /** What the format says of the model; null where it says nothing. */
  readonly model: string | null;
  readonly isEncrypted: boolean;
  /** Tells an advertisement from a repetition of the last one; undefined where the format has no number. */
  readonly packet?: number;
  /** The counter of an encrypted advertisement, which only grows: a lower one may be a replay. */
  readonly counter?: number;
  /** The sensor advertises only when something happens, so its silence means nothing. */
  readonly isTriggered: boolean;
  readonly measurements: readonly Measurement[];
  readonly events: readonly SensorEvent[];
}

/** Numbers the values of each quantity in their order. */
export function indexed(values: readonly Omit<Measurement, "index">[]): readonly Measurement[] {
  const counts = new Map<string, number>();
  return values.map((value) => {
    const index = (counts.get(value.quantity) ?? 0) + 1;
    counts.set(value.quantity, index);
    return { ...value, index };
  });
}
