import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import { unanswered } from "../api/call.ts";
import { followStatus } from "./follow-status.ts";

test("follows a status over a failure until it is over", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const answers = [
    { ok: true, value: "RUNNING" } as const,
    unanswered(0),
    { ok: true, value: "DONE" } as const,
  ];
  const shown = signal<string | undefined>(undefined);
  const seen: (string | undefined)[] = [];
  shown.subscribe((status) => void seen.push(status));
  let asked = 0;
  const ask = async (): Promise<(typeof answers)[number]> => {
    const { [asked++]: answer = assert.fail("asks after the end") } = answers;
    // The pause begins once this answer is taken.
    if (asked < answers.length) setImmediate(() => mock.timers.tick(2000));
    return answer;
  };
  await followStatus(ask, shown, new AbortController().signal, (status) => status === "DONE");
  assert.deepEqual([asked, seen], [3, [undefined, "RUNNING", "DONE"]]);
});
