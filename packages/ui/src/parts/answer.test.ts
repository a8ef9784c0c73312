import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Failure, unanswered } from "../api/call.ts";
import { type Asked, followAnswer, whileBusy } from "./answer.ts";

const lookMs = 1000;
const isPending = (asked: Asked<string>): number | null =>
  asked.state === "done" && asked.value === "PENDING" ? lookMs : null;

test("follows an answer that takes longer than the time between two", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const answers: readonly Answer<string>[] = [
    { ok: true, value: "PENDING" },
    { ok: true, value: "PENDING" },
    { ok: true, value: "APPLIED" },
  ];
  const seen: unknown[] = [];
  let asked = 0;
  const ask = async (signal: AbortSignal): Promise<Answer<string>> => {
    const { [asked++]: answer = assert.fail("asks after the end") } = answers;
    mock.timers.tick(5 * lookMs);
    assert.equal(signal.aborted, false);
    // The pause begins once this answer is taken.
    if (asked < answers.length) setImmediate(() => mock.timers.tick(lookMs));
    return answer;
  };
  await followAnswer(ask, (now) => void seen.push(now), new AbortController().signal, isPending);
  assert.deepEqual(
    seen,
    ["PENDING", "PENDING", "APPLIED"].map((value) => ({ state: "done", value })),
  );
});

test("asks no more after a failure, which nothing follows, and shows nothing once somebody has left", async () => {
  const seen: unknown[] = [];
  let asked = 0;
  const failing = async (): Promise<Answer<string>> => {
    asked++;
    return unanswered(404);
  };
  await followAnswer(failing, (now) => void seen.push(now), new AbortController().signal, isPending);
  const left = new AbortController();
  const leaving = async (): Promise<Answer<string>> => {
    left.abort();
    return { ok: true, value: "PENDING" };
  };
  await followAnswer(leaving, (now) => void seen.push(now), left.signal, isPending);
  assert.deepEqual([asked, seen], [1, [{ state: "failed", failure: unanswered(404) }]]);
});

test("asks on while the hub is busy, and no more once it refuses", () => {
  const failed = (status: number): Asked<string> => ({
    state: "failed",
    failure: unanswered(status) as Failure,
  });
  const asksOn = [failed(503), failed(429), failed(403), failed(0), { state: "loading" } as const];
  assert.deepEqual(
    asksOn.map((asked) => whileBusy(asked) !== null),
    [true, true, false, false, false],
  );
});
