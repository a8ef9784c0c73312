import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyDecider, DomainEvent } from "@ledge/model";
import { defineEvent, reject } from "@ledge/model";
import Type from "typebox";
import { given } from "./given-when-then.ts";

const Counted = defineEvent("Counted", 1, { by: Type.Integer() });

/** An aggregate that goes wrong in the way that `how` says. */
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

test("what is expected passes, and the states after it can be looked at", () => {
  const after = given([one], counter())
    .when({ type: "COUNT", by: 2 })
    .then([{ ...one, by: 2 }]);
  assert.deepEqual(after.state("room", "c"), { list: [1, 2] });
  assert.deepEqual(given([one], counter()).state("room", "c"), { list: [1] });
});

test("a rejection is expected with its message or without", () => {
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

test("other events than expected, and events instead of a rejection, fail", () => {
  const decided = given([], counter()).when(count);
  assert.throws(() => decided.then([]), assert.AssertionError);
  assert.throws(() => decided.then([{ ...one, by: 2 }]), assert.AssertionError);
  assert.throws(() => decided.then([one, one]), assert.AssertionError);
  assert.throws(() => decided.then({ rejected: "invalid" }), assert.AssertionError);
});

for (const [how, expected, error] of [
  ["not as declared", [{ ...one, by: "1" }], /Counted\/by must be integer/],
  ["undeclared field", [{ ...one, extra: 1 }], /declares no extra/],
  ["not the same twice", [{ ...one, by: 0 }], /same command, state and ids/],
  ["writes to its state", [one], /not extensible/],
  ["what JSON cannot hold", [one], /survives being written down/],
] as const) {
  test(`an aggregate that goes wrong (${how}) fails even if that is expected`, () => {
    const before = how === "writes to its state" ? [one] : [];
    assert.throws(() => given(before, counter(how)).when(count).then(expected), error);
  });
}

test("a rejection says why", () => {
  const silent = given([], counter("silent")).when({ type: "COUNT", by: 0 });
  assert.throws(() => silent.then({ rejected: "invalid", field: "by" }), /says why/);
});

test("commands and events that nobody knows fail", () => {
  assert.throws(() => given([], counter()).when({ type: "FLY" }), /no aggregate takes FLY/);
  assert.throws(() => given([{ type: "Flown", id: "c" }], counter()), /Flown is not declared/);
});
