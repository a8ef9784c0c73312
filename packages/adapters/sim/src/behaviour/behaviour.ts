import type { Air, House } from "../house.ts";
import type { Random } from "../random.ts";

/** Device attributes by name, in the units of the model. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Something that a script or a test can make happen at a device. */
export type Action = "press" | "leak" | "smoke" | "gas" | "open" | "close" | "walk";

/** The surroundings of a device's part during a step. */
export interface Moment {
  readonly house: House;
  /** The air of the device's own place. */
  readonly air: Air;
  /** The attributes of the device's earlier parts. */
  readonly own: Attributes;
  /** How much time passes. */
  readonly ms: number;
  readonly random: Random;
}

/** One ability of a device: pure functions over its state, which is plain data. */
export interface Behaviour<State extends object> {
  begin(random: Random): State;
  step?(state: State, moment: Moment): State;
  /** Returns the current attributes. A momentary one appears only in the step in which it happens. */
  show(state: State): Attributes;
  /**
   * Applies the wanted attributes that it knows.
   * @param now simulated ms since the epoch.
   */
  set?(state: State, wanted: Attributes, now: number): State;
  act?(state: State, action: Action, now: number): State;
  /** Its state grows by itself and must not start over, like a meter's. */
  readonly counts?: true;
}

/** A behaviour in one device, with its state. */
export interface LivePart {
  step(moment: Moment): void;
  show(): Attributes;
  set(wanted: Attributes, now: number): void;
  act(action: Action, now: number): void;
  /** Returns the state when it must survive a restart: after a command, or when it counts. */
  keep(): object | null;
  readonly counts: boolean;
  /** Restores a kept state, unless its shape differs from this version's. */
  restore(kept: unknown): void;
}

/** Makes a part, whatever its state, so that a table can hold parts. */
export type Part = (random: Random) => LivePart;

/** Turns a behaviour into a part. */
export function part<State extends object>(behaviour: Behaviour<State>): Part {
  return (random) => {
    let state = behaviour.begin(random);
    return {
      step: (moment) => {
        state = behaviour.step?.(state, moment) ?? state;
      },
      show: () => behaviour.show(state),
      set: (wanted, now) => {
        state = behaviour.set?.(state, wanted, now) ?? state;
      },
      act: (action, now) => {
        state = behaviour.act?.(state, action, now) ?? state;
      },
      keep: () => (behaviour.set || behaviour.counts ? state : null),
      counts: behaviour.counts === true,
      restore: (kept) => {
        if (isLike(kept, state)) state = kept;
      },
    };
  };
}

function isLike<T extends object>(kept: unknown, state: T): kept is T {
  if (typeof kept !== "object" || kept === null) return false;
  const entries = Object.entries(state);
  const types = new Map(Object.entries(kept).map(([key, value]) => [key, typeof value]));
  return entries.length === types.size && entries.every(([key, value]) => types.get(key) === typeof value);
}
