import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Values } from "./wanted.ts";

/** Why a device did not take a value, and what it showed then. */
export interface Failed {
  readonly message: string;
  readonly shown: unknown;
}

/** Commands that devices have not carried out, by attribute: the last of each. */
export interface Failures {
  of(id: string): ReadonlySignal<Readonly<Record<string, Failed>>>;
  note(id: string, attribute: string, failed: Failed): void;
  /** Forgets attributes that a device is told anew. */
  forget(id: string, attributes: readonly string[]): void;
  /** Forgets everything, as for another home. */
  clear(): void;
}

const none: Readonly<Record<string, Failed>> = {};

export function createFailures(): Failures {
  const found = new Map<string, Signal<Readonly<Record<string, Failed>>>>();
  const of = (id: string): Signal<Readonly<Record<string, Failed>>> => {
    let known = found.get(id);
    if (known === undefined) found.set(id, (known = signal(none)));
    return known;
  };
  return {
    of,
    note(id, attribute, failed) {
      of(id).value = { ...of(id).peek(), [attribute]: failed };
    },
    forget(id, attributes) {
      const known = found.get(id)?.peek() ?? none;
      if (!attributes.some((name) => Object.hasOwn(known, name))) return;
      of(id).value = Object.fromEntries(Object.entries(known).filter(([name]) => !attributes.includes(name)));
    },
    clear: () => found.forEach((each) => (each.value = none)),
  };
}

/** Returns why the last command for an attribute failed; empty without one, or once the device shows something else. */
export function failureOf(
  failures: Readonly<Record<string, Failed>>,
  state: Values,
  attribute: string,
): string {
  const failed = Object.hasOwn(failures, attribute) ? failures[attribute] : undefined;
  const isOld = failed === undefined || JSON.stringify(failed.shown) !== JSON.stringify(state[attribute]);
  return isOld ? "" : failed.message;
}
