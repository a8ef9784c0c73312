import type { Arguments, Chart, StateNode, Transition } from "../machine/chart.ts";

/** A transition of a chart. */
export interface Way {
  /** The state that it leaves, such as `dark` or `airing.clearing`; empty: any state. */
  readonly from: string;
  /** The type of the stimulus, `always`, or `after <delay>`. */
  readonly on: string;
  /** The state that it enters; null: the state stays. */
  readonly to: string | null;
  /** Whether the transition has a guard. */
  readonly isGuarded: boolean;
}

export type Guard = (given: Arguments<object>) => boolean;
/** Evaluates a guard and takes note of it. */
export type Ask = (way: Way, guard: Guard, given: Arguments<object>) => boolean;

type By = Readonly<Record<string, Transition<object> | readonly Transition<object>[]>>;

/** Returns the chart with every guard evaluated through `ask`, which also hears of transitions without a guard. */
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
    // Targets of custom rules are absolute, from the machine's root.
    const to = target?.replace(/^#rule\.(?:on\.)?/, "") ?? null;
    const way = { from, on, to, isGuarded: guard !== undefined };
    return { ...transition, guard: (given) => ask(way, guard ?? (() => true), given) };
  });
}
