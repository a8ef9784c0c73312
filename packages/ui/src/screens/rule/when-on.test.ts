import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newRange } from "../../parts/time-range.ts";
import { lacks, onConfigOf, onDraftOf, onFaults, withScene } from "./when-on.ts";

const cron = {
  type: "RULETIME",
  enabled: true,
  cronDef: { type: "CRONDEF", start: "0 7 * * *", stop: "0 9 * * *" },
} as const;

describe("when a rule is on", () => {
  test("is shown by what turns it on: people, scenes or times", () => {
    assert.equal(onDraftOf({ scenes: {}, timers: [] }).by, "hand");
    assert.deepEqual(onDraftOf({ scenes: { s1: true, s2: false }, timers: [] }), {
      by: "scenes",
      scenes: ["s1", "s2"],
      times: [],
    });
    assert.equal(onDraftOf({ scenes: {}, timers: [newRange] }).by, "times");
  });

  test("is told to the hub without what is not chosen", () => {
    const both = { scenes: ["s1"], times: [newRange, cron] };
    assert.deepEqual(onConfigOf({ by: "hand", ...both }), { scenes: [], timers: [] });
    assert.deepEqual(onConfigOf({ by: "scenes", ...both }), { scenes: ["s1"], timers: [] });
    assert.deepEqual(onConfigOf({ by: "times", ...both }), { scenes: [], timers: [newRange, cron.cronDef] });
  });

  test("lacks a scene or a time where it speaks of one", () => {
    const none = { scenes: [], times: [] };
    assert.deepEqual(
      (["hand", "scenes", "times"] as const).map((by) => lacks({ by, ...none })),
      [false, true, true],
    );
    assert.equal(lacks({ by: "scenes", scenes: ["s1"], times: [] }), false);
    assert.deepEqual(withScene(["s1"], "s2", true), ["s1", "s2"]);
    assert.deepEqual(withScene(["s1", "s2"], "s1", false), ["s2"]);
  });

  test("shows an error of the hub at its time", () => {
    const errors = [
      { field: "timers.1.validFrom", message: "no such day" },
      { field: "scenes", message: "no scene s9" },
    ];
    assert.deepEqual(onFaults(errors), { times: new Map([[1, "no such day"]]), others: ["no scene s9"] });
  });
});
