import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyDecider, Command, Decider, DomainEvent, LoggedEvent, Reaction, Chain } from "@ledge/model";
import { aggregates, defineEvent, limits, reject } from "@ledge/model";
import type { Decided } from "./decide.ts";
import { Deciders, EvolveError } from "./decide.ts";
import { Overlay, Published } from "./layer.ts";

interface Tally {
  readonly id: string;
  readonly count: number;
}
type TallyCommand = { type: "ADD"; id: string; by: number } | { type: "CLEAR"; id: string };

const Added = defineEvent("Added", 1, {});
const Cleared = defineEvent("Cleared", 3, {});
const Broken = defineEvent("Broken", 1, {});

/**
 * A counter. It refuses to add 0, throws at 13, creates an event that cannot be applied at 14, and an unknown one
 * at 15.
 */
const tally = {
  kind: "room",
  commands: ["ADD", "CLEAR"],
  events: [Added, Cleared, Broken],
  target: ({ id }) => id,
  decide(command, state, world) {
    const { id } = command;
    if (command.type === "CLEAR") return state === undefined ? [] : [{ type: "Cleared", id }];
    if (command.by === 0) return reject("invalid", "nothing to add", "by");
    if (command.by === 13) throw new RangeError("unlucky");
    if (command.by === 14) return [{ type: "Broken", id }];
    if (command.by === 15) return [{ type: "Unheard", id }];
    const count = (state?.count ?? 0) + command.by;
    return [{ type: "Added", id, count, now: world.now, size: world.size("room") } as DomainEvent];
  },
  evolve(_state, event) {
    if (event.type === "Broken") throw new TypeError("broken");
    return event.type === "Added" ? { id: event.id, count: (event as DomainEvent & Tally).count } : undefined;
  },
} as const satisfies Decider<Tally, TallyCommand> as unknown as AnyDecider;

const add = (id: string, by: number): Command => ({ type: "ADD", id, by }) as Command;
const begin: Chain = { origin: "user:u1", depth: 0, cause: "request:r1" };

function decide(
  commands: readonly Command[],
  { reactions = [] as readonly Reaction[], each = false, below = new Published(), left = 1000 } = {},
): Decided {
  const deciders = new Deciders([tally], reactions, () => "new");
  return deciders.decide(commands, begin, each, {
    below,
    timestamp: 500,
    firstIndex: 7,
    reactionsLeft: left,
  });
}

function lines(events: readonly LoggedEvent[]): string[] {
  return events.map(({ type, id, depth, cause, root }) =>
    [type, id, depth, cause, root ?? "-"].map(String).join(" "),
  );
}

test("decides each command over the effects of those before it", () => {
  const below = new Published();
  below.set("room", "a", { id: "a", count: 1 });
  const { results, events, overlay, refused } = decide([add("a", 1), add("b", 5), add("a", 1)], { below });
  assert.deepEqual(results, [
    { id: "a", events: 1 },
    { id: "b", events: 1 },
    { id: "a", events: 1 },
  ]);
  assert.equal(refused, undefined);
  const envelope = { version: 1, origin: "user:u1", depth: 0, cause: "request:r1" };
  assert.deepEqual(events, [
    { type: "Added", id: "a", count: 2, now: 500, size: 1, ...envelope },
    { type: "Added", id: "b", count: 5, now: 500, size: 1, ...envelope },
    { type: "Added", id: "a", count: 3, now: 500, size: 2, ...envelope },
  ]);
  assert.deepEqual(overlay.get("room", "a"), { id: "a", count: 3 });
  assert.deepEqual(below.get("room", "a"), { id: "a", count: 1 }, "nothing is merged yet");
});

test("writes the definition's version and the command's chain into an event", () => {
  const deciders = new Deciders([tally], [], () => "new");
  const below = new Published();
  below.set("room", "a", { id: "a", count: 1 });
  const chain: Chain = { origin: "clock", depth: 3, cause: "400-1", root: "300-0" };
  const place = { below, timestamp: 500, firstIndex: 0, reactionsLeft: 0 };
  const { events } = deciders.decide([{ type: "CLEAR", id: "a" } as Command], chain, false, place);
  assert.deepEqual(events, [{ type: "Cleared", id: "a", version: 3, ...chain }]);
});

test("accepts a command without effect and names its target", () => {
  const { results, events } = decide([{ type: "CLEAR", id: "nowhere" } as Command]);
  assert.deepEqual([results, events], [[{ id: "nowhere", events: 0 }], []]);
});

const invalid = { rejected: "invalid", message: "nothing to add", field: "by" };

test("refuses all commands when one is rejected", () => {
  const { refused, results, events, overlay, reactionsLeft } = decide([add("a", 1), add("b", 0)]);
  assert.deepEqual(refused, { index: 1, rejection: invalid });
  assert.deepEqual([results, events, [...overlay.touched()], reactionsLeft], [[], [], [], 1000]);
});

test("refuses only the rejected command with `each`", () => {
  const { refused, results, events } = decide([add("a", 1), add("b", 0), add("a", 1)], { each: true });
  assert.equal(refused, undefined);
  assert.deepEqual(results, [{ id: "a", events: 1 }, { rejection: invalid }, { id: "a", events: 1 }]);
  assert.equal(events.length, 2);
});

test("refuses an unknown command", () => {
  const { refused } = decide([{ type: "FLY" }]);
  assert.deepEqual(refused?.rejection, { rejected: "invalid", message: "no command FLY", field: "type" });
});

test("passes on what a decider throws", () => {
  assert.throws(() => decide([add("a", 1), add("b", 13)]), { name: "RangeError", message: "unlucky" });
});

test("throws EvolveError when evolve throws, and for an unknown event", () => {
  assert.throws(
    () => decide([add("a", 14)]),
    (error: Error) => {
      assert.ok(error instanceof EvolveError && error.cause instanceof TypeError);
      return error.message === "Broken at 500 cannot be applied";
    },
  );
  assert.throws(() => decide([add("a", 15)]), {
    name: "EvolveError",
    message: /no aggregate knows.*Unheard/,
  });
});

/** Returns a reaction that follows each `Added` with the commands of the table for its id. */
function follow(table: Readonly<Record<string, readonly Command[]>>, name = "follow"): Reaction {
  return { name, on: ["Added"], react: ({ id }) => table[id] ?? [] };
}

test("runs reactions breadth first, in order, each one deeper", () => {
  const table = { a: [add("b", 1), add("c", 1)], b: [add("d", 1)], c: [add("e", 1)] };
  const { events, results, reacted, reactionsLeft } = decide([add("a", 1)], { reactions: [follow(table)] });
  assert.deepEqual(lines(events), [
    "Added a 0 request:r1 -",
    "Added b 1 500-7 request:r1",
    "Added c 1 500-7 request:r1",
    "Added d 2 500-8 request:r1",
    "Added e 2 500-9 request:r1",
  ]);
  assert.deepEqual(results, [{ id: "a", events: 1 }], "reactions add no results");
  assert.deepEqual([reacted, reactionsLeft], [true, 996]);
});

test("takes the first event as the root of a chain without a cause", () => {
  const deciders = new Deciders([tally], [follow({ a: [add("b", 1)] })], () => "new");
  const place = { below: new Published(), timestamp: 500, firstIndex: 0, reactionsLeft: 9 };
  const { events } = deciders.decide([add("a", 1)], { origin: "device", depth: 0 }, false, place);
  assert.deepEqual(lines(events), ["Added a 0 undefined -", "Added b 1 500-0 500-0"]);
});

test("runs reactions to an event in order, each seeing the effects of those before it", () => {
  const seen: unknown[] = [];
  const reader: Reaction = {
    name: "reader",
    on: ["Added"],
    react: ({ id }, read) => {
      seen.push([id, read.get("room", id), read.size("room")]);
      return [];
    },
  };
  const reactions = [follow({ a: [add("b", 1)] }), reader];
  const { events } = decide([add("a", 4)], { reactions });
  assert.equal(events.length, 2);
  assert.deepEqual(seen, [
    ["a", { id: "a", count: 4 }, 2],
    ["b", { id: "b", count: 1 }, 2],
  ]);
});

test("leaves out commands of a cascade that an aggregate refuses", () => {
  const table = { a: [add("b", 0), add("c", 1)] };
  const { events, refused } = decide([add("a", 1)], { reactions: [follow(table)] });
  assert.deepEqual([events.map(({ id }) => id), refused], [["a", "c"], undefined]);
});

test("ends a cascade at its maximum depth", () => {
  const { events, continuations } = decide([add("a", 1)], { reactions: [follow({ a: [add("a", 1)] })] });
  assert.equal(events.length, limits.cascadeDepth + 1);
  assert.equal(events.at(-1)?.depth, limits.cascadeDepth);
  assert.deepEqual(continuations, []);
});

test("leaves commands of a cascade beyond the commit's limit for the next commit", () => {
  const table = { a: [add("b", 1), add("c", 1), add("d", 1), add("e", 1)] };
  const { events, continuations, reactionsLeft } = decide([add("a", 1)], {
    reactions: [follow(table)],
    left: 2,
  });
  assert.deepEqual(
    events.map(({ id }) => id),
    ["a", "b", "c"],
  );
  const chain: Chain = { origin: "user:u1", cause: "500-7", root: "request:r1", depth: 1 };
  assert.deepEqual(continuations, [
    { command: add("d", 1), chain },
    { command: add("e", 1), chain },
  ]);
  assert.equal(reactionsLeft, 0);
});

test("applying events leads to the same states as deciding them", () => {
  const deciders = new Deciders([tally], [], () => "new");
  const { events, overlay } = decide([
    add("a", 1),
    add("b", 2),
    add("a", 1),
    { type: "CLEAR", id: "b" } as Command,
  ]);
  const replayed = new Overlay(new Published());
  for (const event of events) deciders.apply(event, 500, replayed);
  assert.deepEqual([...replayed.touched()], [...overlay.touched()]);
});

test("no two aggregates of the model share a command or an event", () => {
  const commands = aggregates.flatMap((decider) => decider.commands);
  const events = aggregates.flatMap((decider) => decider.events.map(({ type }) => type));
  assert.equal(new Set(commands).size, commands.length);
  assert.equal(new Set(events).size, events.length);
});
