import assert from "node:assert/strict";
import { test } from "node:test";
import { lookAtLog } from "./log-task.ts";

const child = new URL("../testdata/ending-child.ts", import.meta.url);

for (const [how, silenceMs, expected] of [
  ["SIGSEGV", 60_000, "it ended with SIGSEGV"],
  ["SIGBUS", 60_000, "it ended with SIGBUS"],
  ["abort", 60_000, "it ended with SIGABRT"],
  ["memory", 60_000, "it ended with SIGABRT"],
  ["hang", 500, "no progress within 0.5 s"],
  ["spin", 500, "no progress within 0.5 s"],
] as const) {
  test(`a log check that ends by ${how} does not take the hub down, and its end is reported`, async () => {
    const failed = await lookAtLog("probe", how, () => {}, { silenceMs, child });
    assert.deepEqual(failed, { how: expected, isLate: expected.startsWith("no progress") });
  });
}

test("a log check may take any time while it makes progress, even if it never yields", async () => {
  const reports: string[] = [];
  const note = ({ type }: { readonly type: string }): unknown => reports.push(type);
  assert.equal(await lookAtLog("probe", "work", note, { silenceMs: 5000, child }), undefined);
  assert.deepEqual(reports, ["sound", "verified"]);
});

test("reports a log check that cannot start", async () => {
  const nowhere = new URL("./nowhere.ts", import.meta.url);
  const failed = await lookAtLog("probe", "x", () => {}, { child: nowhere });
  assert.equal(failed?.how, "it ended with exit code 1");
});
