import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@ledge/kernel";
import { SimulatedClock } from "@ledge/testkit";
import { lookAtLog } from "./log-task.ts";

const child = new URL("../testdata/ending-child.ts", import.meta.url);

/** A clock on which nothing is late, however long a child takes to its end. */
const patient = { after: () => () => {} };

for (const [how, clock, expected] of [
  ["SIGSEGV", patient, "it ended with SIGSEGV"],
  ["SIGBUS", patient, "it ended with SIGBUS"],
  ["abort", patient, "it ended with SIGABRT"],
  ["memory", patient, "it ended with SIGABRT"],
  ["hang", systemClock, "no progress within 0.5 s"],
  ["spin", systemClock, "no progress within 0.5 s"],
] as const) {
  test(`a log check that ends by ${how} does not take the hub down, and its end is reported`, async () => {
    const failed = await lookAtLog("probe", how, () => {}, { silenceMs: 500, clock, child });
    assert.deepEqual(failed, { how: expected, isLate: expected.startsWith("no progress") });
  });
}

test("a log check may take any time while it makes progress, even if it never yields", async () => {
  const reports: string[] = [];
  const note = ({ type }: { readonly type: string }): unknown => reports.push(type);
  const time = new SimulatedClock();
  // The time between two words is just shorter than the limit.
  const clock = {
    after(ms: number, callback: () => void) {
      time.advance(ms - 1);
      return time.after(ms, callback);
    },
  };
  assert.equal(await lookAtLog("probe", "work", note, { silenceMs: 5000, clock, child }), undefined);
  assert.deepEqual(reports, ["sound", "verified"]);
  assert.ok(time.monotonic() > 10 * 5000, `${time.monotonic()} ms`);
});

test("reports a log check that cannot start", async () => {
  const nowhere = new URL("./nowhere.ts", import.meta.url);
  const failed = await lookAtLog("probe", "x", () => {}, { child: nowhere });
  assert.equal(failed?.how, "it ended with exit code 1");
});
