import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AnyDecider,
  aggregates,
  type Cause,
  type EventRef,
  limits,
  type LoggedEvent,
} from "@ledge/model";
import { LastEvents } from "./last-events.ts";
import { Survivors } from "./survivors.ts";

/** A telemetry event of a timer, or a permanent event of a room. */
interface Given {
  readonly type: "TimerSet" | "TimerFired" | "RoomRenamed";
  readonly id: string;
  readonly cause?: Cause;
}

/** Returns the reference of an event: event n has index 0 in the commit at n. */
const refOf = (number: number): EventRef => `${number}-0`;

/** Returns the numbers of the events up to a horizon that stay. */
function staying(
  given: readonly Given[],
  horizon: number,
  among: readonly AnyDecider[] = aggregates,
): number[] {
  const survivors = new Survivors(horizon, among);
  const last = new LastEvents();
  const events = given.map((event): LoggedEvent => ({ version: 1, origin: "system", depth: 0, ...event }));
  for (const [place, event] of events.entries()) {
    const ref = refOf(place + 1);
    const isTelemetry = event.type !== "RoomRenamed";
    const exists = event.type !== "TimerFired";
    if (place + 1 > horizon) survivors.addBehind(event);
    else {
      if (exists) last.note("kind", event.id, [], ref);
      else last.drop("kind", event.id);
      survivors.addBelow({ ref, event, kind: "kind", isTelemetry, exists });
    }
  }
  const keep = survivors.finish(last);
  return events.flatMap((event, place) => (place < horizon && keep(place + 1, 0, event) ? [place + 1] : []));
}

const set = (id: string, cause?: Cause): Given => ({ type: "TimerSet", id, ...(cause && { cause }) });
const fired = (id: string): Given => ({ type: "TimerFired", id });
const renamed = (cause?: Cause): Given => ({ type: "RoomRenamed", id: "room", ...(cause && { cause }) });

const cases: readonly (readonly [
  what: string,
  given: readonly Given[],
  horizon: number,
  stays: readonly number[],
])[] = [
  ["the newest event of each existing object", [set("a"), set("a"), set("b")], 3, [2, 3]],
  ["nothing of removed objects", [set("a"), fired("a"), set("b"), fired("b")], 4, []],
  ["events that are not telemetry", [renamed(), renamed()], 2, [1, 2]],
  ["the cause of an event that stays", [set("a"), set("b", refOf(1)), set("a")], 3, [1, 2, 3]],
  [
    "the cause of an event that is not telemetry",
    [set("a"), set("a"), renamed(refOf(1)), set("a")],
    4,
    [1, 3, 4],
  ],
  ["the cause of an event after the horizon", [set("a"), set("a"), set("a"), set("b", refOf(1))], 3, [1, 3]],
  [
    "the event that removed an object when an earlier event of it stays",
    [set("a"), fired("a"), renamed(refOf(1))],
    3,
    [1, 2, 3],
  ],
  [
    "only the newest event that removed an object",
    [set("a"), fired("a"), set("a"), fired("a"), renamed(refOf(1))],
    5,
    [1, 4, 5],
  ],
  [
    "no removal of an object that exists again",
    [set("a"), fired("a"), set("a"), renamed(refOf(1))],
    4,
    [1, 3, 4],
  ],
  ["no cause that is not an event", [set("a", "request:1"), set("a", "request:1-0")], 2, [2]],
];
for (const [what, given, horizon, stays] of cases) {
  test(`compaction keeps ${what}`, () => assert.deepEqual(staying(given, horizon), stays));
}

test("keeps up to `causeLinks` links of causes from each event that stays", () => {
  const length = 2 * limits.causeLinks;
  const chain = Array.from({ length }, (_, i) => set("a", i === 0 ? undefined : refOf(i)));
  const first = length - limits.causeLinks;
  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);
  assert.deepEqual(staying(chain, length), numbers(first, length));
  // The same chain with a permanent event in it: as many links again count from there.
  const broken = chain.map((event, i) => (i === first ? renamed(refOf(i)) : event));
  assert.deepEqual(staying(broken, length), numbers(first + 1 - limits.causeLinks, length));
});

test("counts the links of a chain across the horizon", () => {
  const length = 2 * limits.causeLinks;
  const chain = Array.from({ length }, (_, i) => set("a", i === 0 ? undefined : refOf(i)));
  const horizon = limits.causeLinks + 2;
  const given = [...chain.slice(0, horizon), set("a"), set("b", refOf(horizon))];
  assert.equal(staying(given, horizon + 1)[0], 1 + horizon - limits.causeLinks);
});
