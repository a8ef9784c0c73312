import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyDecider, DomainEvent } from "@ledge/model";
import { defineEvent, reject } from "@ledge/model";
import Type from "typebox";
import { given } from "./given-when-then.ts";

const Counted = defineEvent("Counted", 1, { by: Type.Integer() });

/** Returns an aggregate with the fault that `how` names. */
function counter(how = "not at all"): readonly AnyDecider[] {
  let calls = 0;
  const decider = {
    kind: "room",
    commands: ["COUNT"],
    events: [Counted],
    target: () => "c",
    decide({ by }: { by: number }, state: { list: number[] } | undefined) {
      if (by === 0) return reject("invalid", how === "silent" ? "" : "nothing to count", "by");
      if (how === "writes to its state") state?.list.push(by);
      if (how === "not as declared") return [{ type: "Counted", id: "c", by: "1" }];
      if (how === "undeclared field") return [{ type: "Counted", id: "c", by, extra: 1 }];
      if (how === "not the same twice") return [{ type: "Counted", id: "c", by: calls++ }];
      return [{ type: "Counted", id: "c", by }];
    },
    evolve(state: { list: number[] } | undefined, event: DomainEvent & { by: number }) {
      const list = [...(state?.list ?? []), event.by];
      return how === "what JSON cannot hold" ? { list, lost: undefined } : { list };
    },
  };
  return [decider as unknown as AnyDecider];
}

const one = { type: "Counted", id: "c", by: 1 };
const count = { type: "COUNT", by: 1 };

test("passes when the events are as expected, and shows the states after them", () => {
  const after = given([one], counter())
    .when({ type: "COUNT", by: 2 })
    .then([{ ...one, by: 2 }]);
  assert.deepEqual(after.state("room", "c"), { list: [1, 2] });
  assert.deepEqual(given([one], counter()).state("room", "c"), { list: [1] });
});

test("accepts a rejection with or without its message", () => {
  const rejected = given([], counter()).when({ type: "COUNT", by: 0 });
  rejected.then({ rejected: "invalid", field: "by" });
  rejected.then({ rejected: "invalid", message: "nothing to count", field: "by" });
  assert.throws(() => rejected.then({ rejected: "invalid" }), assert.AssertionError);
  assert.throws(
    () => rejected.then({ rejected: "invalid", message: "else", field: "by" }),
    assert.AssertionError,
  );
  assert.throws(() => rejected.then([]), assert.AssertionError);
});

test("fails on other events, and on events instead of a rejection", () => {
  const decided = given([], counter()).when(count);
  assert.throws(() => decided.then([]), assert.AssertionError);
  assert.throws(() => decided.then([{ ...one, by: 2 }]), assert.AssertionError);
  assert.throws(() => decided.then([one, one]), assert.AssertionError);
  assert.throws(() => decided.then({ rejected: "invalid" }), assert.AssertionError);
});

for (const [how, expected, error] of [
  ["not as declared", [{ ...one, by: "1" }], /Counted\/by must be integer/],
  ["undeclared field", [{ ...one, extra: 1 }], /declares no extra/],
  ["not the same twice", [{ ...one, by: 0 }], /deciding the same command twice gives the same result/],
  ["writes to its state", [one], /not extensible/],
  ["what JSON cannot hold", [one], /is the same after a round trip through JSON/],
] as const) {
  test(`fails for a faulty aggregate (${how}), even if its result is expected`, () => {
    const before = how === "writes to its state" ? [one] : [];
    assert.throws(() => given(before, counter(how)).when(count).then(expected), error);
  });
}

test("fails for a rejection without a message", () => {
  const silent = given([], counter("silent")).when({ type: "COUNT", by: 0 });
  assert.throws(() => silent.then({ rejected: "invalid", field: "by" }), /a rejection has a message/);
});

test("fails for unknown commands and events", () => {
  assert.throws(() => given([], counter()).when({ type: "FLY" }), /no aggregate takes FLY/);
  assert.throws(() => given([{ type: "Flown", id: "c" }], counter()), /Flown is not declared/);
});
