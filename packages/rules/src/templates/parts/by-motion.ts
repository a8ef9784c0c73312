import type { Action, Chart } from "../../machine/chart.ts";
import type { View } from "../../machine/view.ts";

interface ByMotion<Context> {
  /** Returns whether there is motion that should turn the lights on. */
  readonly isDue: (view: View) => boolean;
  /** Done on entering the dark state, also the first time. */
  readonly rest?: readonly Action<Context>[];
  /** Done each time motion begins. */
  readonly light: readonly Action<Context>[];
  /** Done when there was no motion for the time `timeout`. */
  readonly leave: readonly Action<Context>[];
}

/**
 * The states of a rule with the input `motion` and the duration `timeout`: dark, lit while somebody moves,
 * and lit for a while after.
 */
export function byMotion<Context>({
  isDue,
  rest = [],
  light,
  leave,
}: ByMotion<Context>): Pick<Chart<Context>, "initial" | "delays" | "states"> {
  const moves = (view: View): boolean => view.any("motion") === true;
  return {
    initial: "dark",
    delays: { timeout: ({ event: { view } }) => view.number("timeout") },
    states: {
      dark: {
        idle: true,
        entry: rest,
        always: { guard: ({ event: { view } }) => isDue(view), target: "moving" },
      },
      moving: {
        entry: light,
        on: { "in.motion": { guard: ({ event: { view } }) => !moves(view), target: "waiting" } },
      },
      waiting: {
        on: { "in.motion": { guard: ({ event: { view } }) => moves(view), target: "moving" } },
        after: { timeout: { target: "dark", actions: leave } },
      },
    },
  };
}
