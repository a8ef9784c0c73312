import type { Air, House } from "../house.ts";
import type { Random } from "../random.ts";

/** Device attributes by name, in the units of the model. */
export type Attributes = Readonly<Record<string, unknown>>;

/** What a script or a test can make happen to a device. */
export type Action = "press" | "leak" | "smoke" | "gas" | "open" | "close" | "walk";

/** What a device's part lives in while time goes on. */
export interface Moment {
  readonly house: House;
  /** The air of the device's own place. */
  readonly air: Air;
  /** What the device's earlier parts show. */
  readonly own: Attributes;
  /** How much time goes by. */
  readonly ms: number;
  readonly random: Random;
}

/** One faculty of a device: pure functions over its state, which is plain data. */
export interface Behaviour<State extends object> {
  begin(random: Random): State;
  step?(state: State, moment: Moment): State;
  /** The attributes as they are now. A momentary one is shown only in the step in which it happens. */
  show(state: State): Attributes;
  /** Takes those of the wanted attributes that it knows. @param now simulated ms since the epoch. */
  set?(state: State, wanted: Attributes, now: number): State;
  act?(state: State, action: Action, now: number): State;
  /** Its state grows by itself and must not begin anew, as a meter's. */
  readonly counts?: true;
}

/** A behaviour in one device, its state inside. */
export interface LivePart {
  step(moment: Moment): void;
  show(): Attributes;
  set(wanted: Attributes, now: number): void;
  act(action: Action, now: number): void;
  /** The state if it has to outlive a restart: when it was told or counted. */
  keep(): object | null;
  readonly counts: boolean;
  /** Takes a kept state, unless it is another shape than this version's. */
  restore(kept: unknown): void;
}

/** A behaviour of any state, to stand in a table. */
export type Part = (random: Random) => LivePart;

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
