import type { Arguments, Chart, StateNode, Transition } from "../chart.ts";

/** A transition of a chart. */
export interface Way {
  /** The state that it leads out of, such as `dark` or `airing.clearing`; empty: any. */
  readonly from: string;
  /** The type of the stimulus, `always`, or `after <delay>`. */
  readonly on: string;
  /** Null: the state stays. */
  readonly to: string | null;
  /** Whether it asks for anything at all. */
  readonly isGuarded: boolean;
}

export type Guard = (given: Arguments<object>) => boolean;
/** Asks a guard, and hears of it. */
export type Ask = (way: Way, guard: Guard, given: Arguments<object>) => boolean;

type By = Readonly<Record<string, Transition<object> | readonly Transition<object>[]>>;

/** The same chart, every guard of which is asked through `ask`: of what needs no guard it is told as well. */
export function tracedChart(chart: Chart<object>, ask: Ask): Chart<object> {
  const { states, on } = chart;
  return {
    ...chart,
    states: tracedStates(states, "", ask),
    ...(on && { on: tracedBy(on, "", (name) => name, ask) }),
  };
}

function tracedStates(
  states: Readonly<Record<string, StateNode<object>>>,
  within: string,
  ask: Ask,
): Record<string, StateNode<object>> {
  return Object.fromEntries(
    Object.entries(states).map(([name, state]): [string, StateNode<object>] => {
      const path = within === "" ? name : `${within}.${name}`;
      const { on, always, after, states: inner } = state;
      return [
        name,
        {
          ...state,
          ...(on && { on: tracedBy(on, path, (type) => type, ask) }),
          ...(always && { always: traced(always, path, "always", ask) }),
          ...(after && { after: tracedBy(after, path, (delay) => `after ${delay}`, ask) }),
          ...(inner && { states: tracedStates(inner, path, ask) }),
        },
      ];
    }),
  );
}

function tracedBy(by: By, from: string, named: (name: string) => string, ask: Ask): By {
  return Object.fromEntries(
    Object.entries(by).map(([name, of]) => [name, traced(of, from, named(name), ask)]),
  );
}

function traced(
  of: Transition<object> | readonly Transition<object>[],
  from: string,
  on: string,
  ask: Ask,
): readonly Transition<object>[] {
  return [of].flat().map((transition: Transition<object>): Transition<object> => {
    const { guard, target } = transition;
    // Of custom rules from the machine's root on.
    const to = target?.replace(/^#rule\.(?:on\.)?/, "") ?? null;
    const way = { from, on, to, isGuarded: guard !== undefined };
    return { ...transition, guard: (given) => ask(way, guard ?? (() => true), given) };
  });
}
