import type { Effect } from "./effect.ts";
import type { View } from "./view.ts";

/** An event for a machine. */
export interface Stimulus {
  /**
   * One of: `rule.on`, `rule.off`; `in.<field>` and `out.<field>` when a device of an input or output
   * changes; `time` when a time range of the rule begins or ends; `zone` when local time or the sun's times
   * change; `price`; `closed` when somebody closes or removes an alarm of the rule or about one of its
   * devices; `failed` when a command of the rule fails; `freed` when an output is no longer held against the
   * rule; or the name of a timer.
   */
  readonly type: string;
  readonly view: View;
}

export interface Arguments<Context> {
  readonly context: Context;
  readonly event: Stimulus;
}

type From<Context, Result> = (given: Arguments<Context>) => Result;

/** Keeps values in the context, or produces effects. */
export type Action<Context> =
  | { readonly keep: From<Context, Partial<Context>> }
  | { readonly out: From<Context, readonly Effect[]> };

export interface Transition<Context> {
  /** A sibling state, or `.child`; none: the state stays. */
  readonly target?: string;
  readonly guard?: From<Context, boolean>;
  readonly actions?: readonly Action<Context>[];
  /** Leaves and enters the state again, which restarts its timers. */
  readonly reenter?: true;
}

type Transitions<Context> = Transition<Context> | readonly Transition<Context>[];

export interface StateNode<Context> {
  readonly on?: Readonly<Record<string, Transitions<Context>>>;
  /** Tried on entry and after each event. */
  readonly always?: Transitions<Context>;
  /** By the name of a delay. */
  readonly after?: Readonly<Record<string, Transitions<Context>>>;
  readonly entry?: readonly Action<Context>[];
  readonly exit?: readonly Action<Context>[];
  /** The rule is at rest: holds of people and scenes end for it. */
  readonly idle?: true;
  readonly initial?: string;
  readonly states?: Readonly<Record<string, StateNode<Context>>>;
  /** All of its states are active at once; it has no `initial`. */
  readonly parallel?: true;
}

/** The machine of a template while its rule is on; `rule.off` leaves every state and cancels its timers. */
export interface Chart<Context> extends Pick<
  StateNode<Context>,
  "always" | "after" | "entry" | "exit" | "parallel"
> {
  /** The first context; JSON. */
  readonly context: Context;
  readonly initial: string;
  readonly states: Readonly<Record<string, StateNode<Context>>>;
  /** The length (ms) of each delay, worked out when the state is entered. */
  readonly delays?: Readonly<Record<string, From<Context, number>>>;
  /** Done when the rule goes off; unless it restores outputs, they stay as they are. */
  readonly off?: readonly Action<Context>[];
  /** Transitions of the machine itself: each state tries them after its own. */
  readonly on?: Readonly<Record<string, Transitions<Context>>>;
}

/** Returns an action that keeps values in the context. */
export function keep<Context>(what: From<Context, Partial<NoInfer<Context>>>): Action<Context> {
  return { keep: what };
}

/** Returns an action that produces effects. */
export function out<Context>(what: From<Context, readonly Effect[]>): Action<Context> {
  return { out: what };
}
