import type { Device } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Action, Arguments, Chart, Transition } from "../../machine/chart.ts";
import { keep, out } from "../../machine/chart.ts";
import { clock, daily } from "../../schedule/daily.ts";
import { turn } from "../../machine/effect.ts";
import type { Span } from "./price-plan.ts";
import { cheapestSlots, isKnownUntil, joined } from "./price-plan.ts";
import { rangesAt } from "../../schedule/index.ts";
import type { View } from "../../machine/view.ts";

/** The context of a rule whose devices run when energy is cheapest. */
export interface CheapTimes {
  /** When the present window ends (ms since the epoch); the next one begins then. */
  readonly until: number;
  /** How much the devices got in this window, in the unit of the need. */
  readonly done: number;
  /** Since when (ms) they have been running, and how much they get per hour; null while they do not run. */
  readonly since: number | null;
  readonly rate: number;
  /** How much they got per hour by measurement in this window; null while unknown. */
  readonly seen: number | null;
  /** When they shall run in the rest of the window. */
  readonly plan: readonly Span[];
  readonly by: "prices" | "fallback";
}

/** What devices need in each window, in hours or in kWh, and when they may run. */
export interface Need {
  /** The field of the outputs. */
  readonly loads: string;
  /** The field with the time of day at which each window ends. */
  readonly deadline: string;
  readonly whole: (view: View) => number;
  /** The expected amount per hour. */
  readonly usual: (view: View) => number;
  /** The measured amount per hour; undefined when there is no measurement. */
  readonly measured?: (view: View) => number | undefined;
  /** A lower measurement says nothing about what the devices draw once they do run. */
  readonly least?: number;
  readonly contiguous?: (view: View) => boolean;
  readonly maxPrice?: (view: View) => number | undefined;
  readonly mayRun?: (view: View) => boolean;
}

type Transitions = Transition<CheapTimes> | readonly Transition<CheapTimes>[];

const hour = 3_600_000;
/**
 * Tolerance (ms): a slot that began this recently counts as a whole one, and a need this small takes no
 * further slot.
 */
const crumbMs = 60_000;

const atFirst: CheapTimes = {
  until: 0,
  done: 0,
  since: null,
  rate: 0,
  seen: null,
  plan: [],
  by: "prices",
};

function windowEnd(view: View, deadline: string): number {
  const { next } = rangesAt([daily(clock(view.number(deadline)), null)], view.now, view.place);
  return next ?? view.now + 24 * hour;
}

/** Returns the times of the field `fallback` up to `until`, at most `ms` in total. */
function fallbackTimes(view: View, until: number, ms: number): readonly Span[] {
  const spans: Span[] = [];
  let left = Math.round(ms);
  for (let at = view.now; at < until && left > 0;) {
    const { active, next } = rangesAt(view.ranges("fallback"), at, view.place);
    const end = Math.min(next ?? until, until);
    if (active.length > 0) {
      const last = Math.min(end, at + left);
      spans.push({ start: at, end: last });
      left -= last - at;
    }
    at = end;
  }
  return joined(spans);
}

const isIn =
  (at: number) =>
  ({ start, end }: Span): boolean =>
    start <= at && at < end;

/** Returns the context with the state of now and a plan from here on. */
function looked(
  need: Need,
  { context, event: { view } }: Arguments<CheapTimes>,
  isRunning: boolean,
): CheapTimes {
  const { now } = view;
  const isOver = now >= context.until;
  const had = context.since === null ? 0 : (Math.max(0, now - context.since) * context.rate) / hour;
  const done = isOver ? 0 : context.done + had;
  const usual = need.usual(view);
  const measured = isRunning ? need.measured?.(view) : undefined;
  const known = isOver ? null : context.seen;
  const seen = measured !== undefined && measured >= (need.least ?? 0) ? measured : known;
  const until = windowEnd(view, need.deadline);
  const stands = {
    until,
    done,
    since: isRunning ? now : null,
    rate: isRunning ? (measured ?? usual) : 0,
    seen,
  };
  const hours = (need.whole(view) - done) / (seen ?? usual);
  const count = Math.ceil((hours * hour - crumbMs) / limits.priceSlotMs);
  if (count <= 0) return { ...stands, plan: [], by: context.by };
  const contiguous = need.contiguous?.(view) ?? false;
  const isUnderWay = contiguous && !isOver && context.by === "prices" && context.plan.some(isIn(now));
  if (isUnderWay) return { ...stands, plan: context.plan, by: "prices" };
  if (!isKnownUntil(view.prices, until))
    return { ...stands, plan: fallbackTimes(view, until, hours * hour), by: "fallback" };
  const from = contiguous ? Math.ceil((now - crumbMs) / limits.priceSlotMs) * limits.priceSlotMs : now;
  const wanted = { count, from, until, contiguous, maxPrice: need.maxPrice?.(view) };
  return { ...stands, plan: joined(cheapestSlots(view.prices, wanted)), by: "prices" };
}

function isTime(need: Need, { context, event: { view } }: Arguments<CheapTimes>): boolean {
  return (need.mayRun?.(view) ?? true) && context.plan.some(isIn(view.now));
}

/** Returns for how long (ms) nothing changes by itself. */
function untilNext(need: Need, { context, event: { view } }: Arguments<CheapTimes>): number {
  const { until, plan, since, rate, done } = context;
  const edge = plan.flatMap(({ start, end }) => [start, end]).find((at) => at > view.now) ?? Infinity;
  const enough = since === null || rate <= 0 ? Infinity : ((need.whole(view) - done) / rate) * hour;
  return Math.max(1, Math.ceil(Math.min(until - view.now, edge - view.now, enough)));
}

/**
 * Returns a machine whose devices run when energy is cheapest in the window before a time of day, and
 * otherwise not. It makes a new plan whenever it learns something new. While prices are not known up to the
 * end of the window, the devices run in the times of the field `fallback`.
 * @param heard further stimuli at which it looks again, by state
 */
export function cheapTimes(
  need: Need,
  heard: {
    readonly always?: readonly string[];
    readonly running?: Readonly<Record<string, Transitions>>;
  } = {},
): Pick<Chart<CheapTimes>, "context" | "initial" | "states" | "delays"> {
  const loads = (on: boolean): Action<CheapTimes> =>
    out(({ event: { view } }) => turn(view.devices(need.loads), on));
  const heardBy = (of: Transitions): Record<string, Transitions> => {
    const types = ["price", "time", "zone", ...(heard.always ?? [])];
    return Object.fromEntries(types.map((type) => [type, of]));
  };
  const notOn = ({ event: { view } }: Arguments<CheapTimes>): readonly Device[] =>
    view.devices(need.loads).filter(({ state }) => state["isOn"] !== true);
  const freed: Transition<CheapTimes> = {
    actions: [
      out((given) =>
        turn(
          notOn(given).filter(({ id }) => id === given.event.view.change?.device.id),
          true,
        ),
      ),
    ],
  };
  const lookAgain = { target: "waiting", reenter: true } as const;
  const goOn: Transitions = [
    {
      guard: (given) => isTime(need, { ...given, context: looked(need, given, true) }),
      target: "running",
      reenter: true,
      // Somebody may have switched them off and since let go.
      actions: [out((given) => turn(notOn(given), true))],
    },
    { target: "waiting", actions: [loads(false)] },
  ];
  return {
    context: atFirst,
    initial: "waiting",
    delays: { next: (given) => untilNext(need, given) },
    states: {
      waiting: {
        idle: true,
        entry: [
          keep((given) => looked(need, given, false)),
          out((given) => {
            const { type, view } = given.event;
            const isFirst = type === "rule.on" && !isTime(need, given);
            return isFirst ? turn(view.devices(need.loads), false) : [];
          }),
        ],
        always: { guard: (given) => isTime(need, given), target: "running", actions: [loads(true)] },
        on: heardBy(lookAgain),
        after: { next: lookAgain },
      },
      running: {
        entry: [keep((given) => looked(need, given, true))],
        always: { guard: (given) => !isTime(need, given), target: "waiting", actions: [loads(false)] },
        on: { ...heardBy(goOn), freed, ...heard.running },
        after: { next: goOn },
      },
    },
  };
}
