import type { Device } from "@ledge/model";
import type { Arguments, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, flag, number } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";
import { powerOverloadTexts as texts } from "./power-overload.texts.ts";

interface Context {
  /** The loads that the rule turned off, oldest first, and when (ms since the epoch). */
  readonly shed: readonly { readonly id: string; readonly at: number }[];
  /** Whether people were warned that no load is left to shed. */
  readonly told: boolean;
}
type Given = Arguments<Context>;

const second = 1000;
const stepMs = 10 * second;
const retryMs = 60 * second;

/**
 * Returns the power to compare with the limit: the highest meter, as each phase has its own fuse, or the sum
 * of all meters.
 * @param unknown what an unreachable meter counts as; undefined: the sum is then unknown too.
 */
function drawn(view: View, unknown?: number): number | undefined {
  if (!view.flag("sum")) return view.greatest("meter");
  const shown = view.readings("meter").map((value) => (typeof value === "number" ? value : unknown));
  const known = shown.filter((value) => value !== undefined);
  const isWhole = known.length > 0 && known.length === shown.length;
  return isWhole ? known.reduce((sum, value) => sum + value, 0) : undefined;
}

/** The known meters alone may already be over the limit. */
const isOver = ({ event: { view } }: Given): boolean => (drawn(view, 0) ?? -Infinity) > view.number("limitW");
const isWithin = ({ event: { view } }: Given): boolean => (drawn(view) ?? Infinity) <= view.number("limitW");
const isLow = ({ event: { view } }: Given): boolean =>
  (drawn(view) ?? Infinity) < view.number("restoreBelow") * view.number("limitW");
const isNotLow = ({ event: { view } }: Given): boolean =>
  (drawn(view, 0) ?? -Infinity) >= view.number("restoreBelow") * view.number("limitW");

const isShed = ({ shed }: Context, { id }: Device): boolean => shed.some((load) => load.id === id);

function running(view: View): readonly Device[] {
  return view.devices("loads").filter(({ state }) => state["isOn"] === true);
}

/** Returns the next load of the list that is on; a load that was shed before and is on again comes last. */
function nextLoad({ context, event: { view } }: Given): Device | undefined {
  const loads = running(view);
  return loads.find((load) => !isShed(context, load)) ?? loads[0];
}
const isAnyLeft = ({ context, event: { view } }: Given): boolean =>
  running(view).some((load) => !isShed(context, load));

function namesOf({ shed }: Context, view: View): string {
  return shed.map(({ id }) => view.device(id)?.name ?? "-").join(", ");
}

const shedOne = [
  out<Context>((given) => {
    const load = nextLoad(given);
    return load === undefined ? [] : turn([load], false);
  }),
  keep<Context>((given) => {
    const load = nextLoad(given);
    if (load === undefined) return {};
    const others = given.context.shed.filter(({ id }) => id !== load.id);
    return { shed: [...others, { id: load.id, at: given.event.view.now }] };
  }),
  out<Context>(({ context, event: { view } }) => [
    {
      do: "raise",
      alarm: "LOAD_SHED",
      facts: { loads: namesOf(context, view), limit: view.number("limitW") },
      hidden: context.shed.some(({ id }) => view.device(id)?.visible === false),
    },
  ]),
];
const tell = [
  out<Context>(({ context: { told }, event: { view } }) =>
    told ? [] : [{ do: "raise", alarm: "POWER_OVERLOAD", facts: { limit: view.number("limitW") } }],
  ),
  keep<Context>(() => ({ told: true })),
];
const tellEnd = [
  out<Context>(({ context: { told } }) => (told ? [{ do: "close", alarm: "POWER_OVERLOAD" }] : [])),
  keep<Context>(() => ({ told: false })),
];

function restoreLast({ context: { shed }, event: { view } }: Given): readonly Effect[] {
  const load = view.device(shed.at(-1)?.id ?? "");
  const isLast = shed.length === 1;
  return [
    ...(load === undefined ? [] : turn([load], true)),
    ...(isLast ? [{ do: "close", alarm: "LOAD_SHED" } as const] : []),
  ];
}

const relieved: Transition<Context> = { guard: isWithin, target: "limited", actions: tellEnd };

/** Sheds loads one after the other before a fuse blows, and restores them when there is room. */
export const powerOverload = template<Context>({
  configType: "POWER_OVERLOAD",
  version: 1,
  priority: 110,
  class: "SAFETY",
  icon: "fuse",
  inputs: { meter: devices(["ACTIVE_POWER", "MEASURE_POWER"], 1, 16) },
  outputs: { loads: devices(["ON_OFF"], 1, 16, true) },
  extras: {
    limitW: { ...number("POWER_W", null, 10, 1_000_000), min: 1 },
    sum: flag(false),
    forMs: duration(10 * second, 0, 600 * second),
    restoreBelow: number("PERCENT", 0.8, 0.1, 1),
    minOff: duration(300 * second, 0, 86_400 * second),
  },
  late: { late: "fire" },
  // The rule hears of loads that go on during an overload.
  hears: ["outputs"],
  chart: {
    context: { shed: [], told: false },
    initial: "normal",
    delays: {
      forMs: ({ event: { view } }) => view.number("forMs"),
      next: () => stepMs,
      retry: () => retryMs,
      restore: ({ context: { shed }, event: { view } }) =>
        Math.max((shed.at(-1)?.at ?? 0) + view.number("minOff") - view.now, stepMs),
    },
    states: {
      normal: { idle: true, always: { guard: isOver, target: "over" } },
      over: {
        always: relieved,
        after: {
          forMs: [
            {
              guard: (given) => isOver(given) && nextLoad(given) !== undefined,
              target: "shedding",
              actions: shedOne,
            },
            { guard: isOver, target: "helpless", actions: tell },
            { target: "limited" },
          ],
        },
      },
      shedding: {
        always: relieved,
        after: {
          next: [
            {
              guard: (given) => isOver(given) && isAnyLeft(given),
              target: "shedding",
              reenter: true,
              actions: shedOne,
            },
            { guard: isOver, target: "helpless", actions: tell },
            { target: "limited" },
          ],
        },
      },
      helpless: {
        always: [relieved, { guard: isAnyLeft, target: "shedding", actions: shedOne }],
        after: {
          retry: {
            target: "helpless",
            reenter: true,
            actions: [out(({ event: { view } }) => turn(running(view), false))],
          },
        },
      },
      limited: {
        always: [
          { guard: isOver, target: "over" },
          { guard: ({ context: { shed } }) => shed.length === 0, target: "normal" },
          { guard: isLow, target: "restoring" },
        ],
      },
      restoring: {
        always: { guard: isNotLow, target: "limited" },
        after: {
          restore: [
            {
              guard: isLow,
              target: "limited",
              actions: [out(restoreLast), keep(({ context: { shed } }) => ({ shed: shed.slice(0, -1) }))],
            },
            { target: "limited" },
          ],
        },
      },
    },
    off: [
      ...tellEnd,
      out(({ context: { shed } }) => (shed.length === 0 ? [] : [{ do: "close", alarm: "LOAD_SHED" }])),
      keep(() => ({ shed: [] })),
    ],
  },
  texts,
});
