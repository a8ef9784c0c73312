import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** Values by attribute that a device was told to take and has not reported yet. */
export type Values = Readonly<Record<string, unknown>>;

/** What devices were told: shown before they report, marked as pending. */
export interface Wanted {
  /** Returns what a device was told; empty without anything. */
  of(id: string): ReadonlySignal<Values>;
  /** Returns whether any device has yet to report what it was told. */
  awaits(): boolean;
  /** Takes note of values that a device was told. @returns a mark of them for `drop` */
  want(id: string, values: Values): number;
  /** Drops what a device has reported. @returns whether anything of it was still shown */
  reported(id: string, state: Values): void;
  /** Drops the values that were noted under a mark and are still shown. @returns their names */
  drop(id: string, mark: number): readonly string[];
}

const nothing: Values = {};

export function createWanted(): Wanted {
  const shown = new Map<string, Signal<Values>>();
  const marks = new Map<string, Map<string, number>>();
  let last = 0;
  const of = (id: string): Signal<Values> => {
    let found = shown.get(id);
    if (found === undefined) shown.set(id, (found = signal(nothing)));
    return found;
  };
  const without = (id: string, names: readonly string[]): void => {
    if (names.length === 0) return;
    const left = Object.entries(of(id).peek()).filter(([name]) => !names.includes(name));
    for (const name of names) marks.get(id)?.delete(name);
    of(id).value = left.length === 0 ? nothing : Object.fromEntries(left);
  };
  return {
    of,
    awaits: () => [...marks.values()].some(({ size }) => size > 0),
    want(id, values) {
      const mark = ++last;
      of(id).value = { ...of(id).peek(), ...values };
      const ofDevice = marks.get(id) ?? new Map<string, number>();
      for (const name of Object.keys(values)) ofDevice.set(name, mark);
      marks.set(id, ofDevice);
      return mark;
    },
    reported(id, state) {
      const values = shown.get(id)?.peek();
      if (values === undefined || values === nothing) return;
      without(
        id,
        Object.keys(values).filter((name) => isSame(values[name], state[name])),
      );
    },
    drop(id, mark) {
      const names = [...(marks.get(id) ?? [])].filter(([, noted]) => noted === mark).map(([name]) => name);
      without(id, names);
      return names;
    },
  };
}

/** Devices round what they are told: a lamp of 254 steps reports 0.6496 for 0.65. */
const tolerance = 0.011;

function isSame(wanted: unknown, reported: unknown): boolean {
  if (typeof wanted === "number" && typeof reported === "number")
    return Math.abs(wanted - reported) <= tolerance * Math.max(1, Math.abs(wanted));
  if (typeof wanted === "object" && wanted !== null && typeof reported === "object" && reported !== null)
    return Object.entries(wanted).every(([name, value]) => isSame(value, (reported as Values)[name]));
  return wanted === reported;
}
