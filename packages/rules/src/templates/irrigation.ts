import type { Device } from "@ledge/model";
import type { Action, Arguments, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { safely, turn } from "../machine/effect.ts";
import { devices, duration, number, ranges } from "../catalogue/field.ts";
import { edges } from "../schedule/index.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";
import { irrigationTexts as texts } from "./irrigation.texts.ts";

interface Context {
  /** The time (ms since the epoch) up to which the rule has handled starts. */
  readonly seen: number;
  /** The index of the time range of this round. */
  readonly range: number;
  /** The valves that wait for their turn. */
  readonly queue: readonly string[];
  /** The valve whose turn it is, and since when (ms). */
  readonly valve: string;
  readonly since: number;
  /** When each valve was opened last, by anybody. */
  readonly opened: Readonly<Record<string, number>>;
  /** The valves that got a command to close. */
  readonly closing: readonly string[];
  /** The day that `spent` counts: how long (ms) each valve was open on it. */
  readonly day: string;
  readonly spent: Readonly<Record<string, number>>;
  /** The valve that people were warned of because it does not close. */
  readonly stuck: string;
}
type Given = Arguments<Context>;

const minute = 60_000;
/** The longest opening, whoever opened the valve. */
const hardMaxMs = 30 * minute;
/** A shorter opening is left out. */
const leastMs = 1000;
/** A round that begins later than this is skipped. */
const lateMaxMs = minute;

function isOpen({ state }: Device): boolean {
  return state["isOn"] === true || Number(state["openPct"] ?? 0) > 0;
}

const openValves = (view: View): readonly Device[] => view.devices("valves").filter(isOpen);
const isAnyOpen = ({ event: { view } }: Given): boolean => openValves(view).length > 0;
const isNoneOpen = (given: Given): boolean => !isAnyOpen(given);

/** Returns how much of the half hour (ms) is left for the open valve that was opened first. */
function restOf({ context: { opened }, event: { view } }: Given): number {
  const since = openValves(view).map(({ id }) => opened[id] ?? view.now);
  return Math.max(Math.min(...since, view.now) + hardMaxMs - view.now, 0);
}
const overdue = ({ context: { opened }, event: { view } }: Given): readonly Device[] =>
  openValves(view).filter(({ id }) => (opened[id] ?? view.now) + hardMaxMs <= view.now);
const noteOpen = keep<Context>(({ context: { opened }, event: { view } }) => {
  const unknown = openValves(view).filter(({ id }) => opened[id] === undefined);
  return { opened: { ...opened, ...Object.fromEntries(unknown.map(({ id }) => [id, view.now])) } };
});

/** Returns whether a sensor shows rain or wet soil. */
function isWet({ event: { view } }: Given): boolean {
  return view.measured("wet").some(({ value }) => {
    return typeof value === "number" ? value >= 100 * view.number("wetAt") : value === true;
  });
}

/** Returns the index of the time range that has just begun. */
function begun({ context: { seen }, event: { view } }: Given): number | undefined {
  const from = Math.max(seen, view.now - lateMaxMs);
  const found = edges(view.ranges("ranges"), from, view.now, view.place).edges;
  return found.findLast(({ edge }) => edge === "start")?.index;
}

/** Returns whether the round's time range is over; a range without an end lasts as long as its round. */
function isOver({ context: { range }, event: { view } }: Given): boolean {
  const of = view.ranges("ranges")[range];
  if (of?.type === "TIME_RANGE" && of.end === null) return false;
  return !view.active("ranges").some(({ index }) => index === range);
}

const nextValve = ({ context: { queue }, event: { view } }: Given): Device | undefined =>
  view.device(queue[0] ?? "");

/** Returns how long (ms) the next valve may be open now. */
function share(given: Given): number {
  const { context, event } = given;
  const { day, spent } = context;
  const [valve, { view }] = [nextValve(given), event];
  if (valve === undefined) return 0;
  const today = day === view.local.date ? (spent[valve.id] ?? 0) : 0;
  const left = (view.numberIfAny("maxPerDay") ?? Infinity) - today;
  return Math.min(view.number("perValve"), left, hardMaxMs);
}

const told = ({ context: { closing }, event: { view } }: Given): readonly Device[] =>
  view.devices("valves").filter(({ id }) => closing.includes(id));
const close = (which: (given: Given) => readonly Device[]): readonly Action<Context>[] => [
  keep((given) => ({ closing: which(given).map(({ id }) => id) })),
  out((given) => safely(turn(told(given), false))),
];
const own = ({ context: { valve }, event: { view } }: Given): readonly Device[] => {
  const device = view.device(valve);
  return device === undefined ? [] : [device];
};
const tooLong: readonly Transition<Context>[] = [
  { guard: (given) => overdue(given).length > 0, target: "closing", actions: close(overdue) },
];
const endRound = keep<Context>(() => ({ queue: [] }));
const nextTurn = keep<Context>(({ context: { queue } }) => ({ queue: queue.slice(1) }));
const count = keep<Context>(({ context: { day, spent, valve, since }, event: { view } }) => {
  const today = view.local.date;
  const known = day === today ? spent : {};
  return { day: today, spent: { ...known, [valve]: (known[valve] ?? 0) + view.now - since } };
});
const start: Transition<Context> = {
  guard: (given) => begun(given) !== undefined,
  target: "waiting",
  actions: [
    keep((given) => ({
      seen: given.event.view.now,
      range: begun(given) ?? 0,
      queue: given.event.view.devices("valves").map(({ id }) => id),
    })),
  ],
};

/** Opens one valve after the other. Closing an open valve comes before everything else. */
export const irrigation = template<Context>({
  configType: "IRRIGATION",
  version: 1,
  priority: 45,
  class: "RULE",
  icon: "sprinkler",
  inputs: { wet: { ...devices(["MOISTURE", "HUMIDITY"], 0, 4), every: true } },
  outputs: { valves: devices(["VALVE", "ON_OFF"], 1, 8, true) },
  extras: {
    ranges: ranges(1, 8),
    perValve: duration(10 * minute, 10_000, hardMaxMs),
    maxPerDay: duration(null, minute, 1440 * minute),
    wetAt: number("PERCENT", 0.6, 0.05, 1, { for: "wet" }),
  },
  // The machine itself skips late starts; a late end must still close the valve.
  late: { late: "fire" },
  times: (view) => view.ranges("ranges"),
  hears: ["outputs"],
  chart: {
    context: {
      seen: 0,
      range: 0,
      queue: [],
      valve: "",
      since: 0,
      opened: {},
      closing: [],
      day: "",
      spent: {},
      stuck: "",
    },
    initial: "resting",
    delays: {
      turn: (given) => share(given),
      hardMax: (given) => restOf(given),
      again: () => minute,
    },
    states: {
      resting: {
        idle: true,
        always: { guard: isAnyOpen, target: "open" },
        on: { time: start },
      },
      // Somebody else has opened a valve.
      open: {
        idle: true,
        entry: [noteOpen],
        always: { guard: isNoneOpen, target: "resting" },
        on: { time: start },
        after: { hardMax: [...tooLong, { target: "open", reenter: true }] },
      },
      // One at a time: waits while a valve is open that somebody else opened.
      waiting: {
        entry: [noteOpen],
        always: [
          {
            guard: (given) => given.context.queue.length === 0 || isOver(given) || isWet(given),
            target: "resting",
            actions: [endRound],
          },
          { guard: (given) => isNoneOpen(given) && share(given) < leastMs, actions: [nextTurn] },
          { guard: isNoneOpen, target: "watering" },
        ],
        after: { hardMax: [...tooLong, { target: "waiting", reenter: true }] },
      },
      watering: {
        entry: [
          out((given) => {
            const valve = nextValve(given);
            return valve === undefined ? [] : turn([valve], true);
          }),
          keep(({ context: { queue }, event: { view } }) => ({ valve: queue[0] ?? "", since: view.now })),
        ],
        on: {
          time: { guard: isOver, target: "closing", actions: [...close(own), count, endRound] },
          "out.valves": {
            guard: ({ context: { valve }, event: { view } }) =>
              view.change?.device.id === valve &&
              view.change.before !== undefined &&
              !isOpen(view.change.device),
            target: "waiting",
            actions: [count, nextTurn, keep(() => ({ valve: "" }))],
          },
        },
        after: { turn: { target: "closing", actions: [...close(own), count, nextTurn] } },
      },
      closing: {
        always: {
          guard: (given) => !told(given).some(isOpen),
          target: "waiting",
          actions: [
            out(({ context: { stuck }, event: { view } }) => {
              const about = view.device(stuck);
              return about === undefined ? [] : [{ do: "close", alarm: "VALVE_STUCK", about }];
            }),
            keep(() => ({ stuck: "", valve: "", closing: [] })),
          ],
        },
        after: {
          again: {
            target: "closing",
            reenter: true,
            actions: [
              ...close((given) => told(given).filter(isOpen)),
              out(({ context: { stuck, closing }, event: { view } }) => {
                const about = view.device(closing[0] ?? "");
                if (stuck !== "" || about === undefined) return [];
                return [{ do: "raise", alarm: "VALVE_STUCK", about, facts: { room: view.roomOf(about) } }];
              }),
              keep(({ context: { stuck, closing } }) => ({ stuck: stuck || (closing[0] ?? "") })),
            ],
          },
        },
      },
    },
    on: {
      "out.valves": {
        guard: ({ event: { view } }) =>
          view.change !== undefined && isOpen(view.change.device) && !view.change.before,
        actions: [
          keep(({ context: { opened }, event: { view } }) => ({
            opened: { ...opened, [view.change?.device.id ?? ""]: view.now },
          })),
        ],
      },
    },
    off: [...close(own)],
  },
  texts,
});
