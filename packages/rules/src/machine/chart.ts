import type { Effect } from "./effect.ts";
import type { View } from "./view.ts";

/** What moves a machine on. */
export interface Stimulus {
  /**
   * `rule.on`, `rule.off`; `in.<field>` and `out.<field>` for a device of an input or output that changed;
   * `time` when a time range of the rule begins or ends, `zone` when local time or the sun are others, `price`,
   * `closed` for an alarm of the rule, or about a device of it, that somebody closed or removed, `failed` for a
   * command of the rule that did not arrive, `freed` for an output that nobody keeps it from any more; or the name of a
   * timer.
   */
  readonly type: string;
  readonly view: View;
}

export interface Arguments<Context> {
  readonly context: Context;
  readonly event: Stimulus;
}

type From<Context, Result> = (given: Arguments<Context>) => Result;

/** Keeps something for later, or has something done. */
export type Action<Context> =
  | { readonly keep: From<Context, Partial<Context>> }
  | { readonly out: From<Context, readonly Effect[]> };

export interface Transition<Context> {
  /** A state beside the one that it stands in, or `.child`; none: the state stays. */
  readonly target?: string;
  readonly guard?: From<Context, boolean>;
  readonly actions?: readonly Action<Context>[];
  /** Leaves and enters the state anew, and so restarts its timers. */
  readonly reenter?: true;
}

type Transitions<Context> = Transition<Context> | readonly Transition<Context>[];

export interface StateNode<Context> {
  readonly on?: Readonly<Record<string, Transitions<Context>>>;
  /** Tried at once on entry and after each event. */
  readonly always?: Transitions<Context>;
  /** By the name of a delay. */
  readonly after?: Readonly<Record<string, Transitions<Context>>>;
  readonly entry?: readonly Action<Context>[];
  readonly exit?: readonly Action<Context>[];
  /** The rule does nothing and waits: what people have set meanwhile binds it no longer. */
  readonly idle?: true;
  readonly initial?: string;
  readonly states?: Readonly<Record<string, StateNode<Context>>>;
  /** Stands in all of its states at once, and has no `initial`. */
  readonly parallel?: true;
}

/** The machine of a template while its rule is on; `rule.off` leads out of every state and cancels its timers. */
export interface Chart<Context> extends Pick<
  StateNode<Context>,
  "always" | "after" | "entry" | "exit" | "parallel"
> {
  /** What is kept at first; JSON. */
  readonly context: Context;
  readonly initial: string;
  readonly states: Readonly<Record<string, StateNode<Context>>>;
  /** By name: how long (ms), worked out when the state is entered. */
  readonly delays?: Readonly<Record<string, From<Context, number>>>;
  /** What is done when the rule goes off: outputs stay as they are unless this restores them. */
  readonly off?: readonly Action<Context>[];
  /** Of the states on the way, at every event: heard in each of them after their own. */
  readonly on?: Readonly<Record<string, Transitions<Context>>>;
}

export function keep<Context>(what: From<Context, Partial<NoInfer<Context>>>): Action<Context> {
  return { keep: what };
}

export function out<Context>(what: From<Context, readonly Effect[]>): Action<Context> {
  return { out: what };
}
