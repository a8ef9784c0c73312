import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Asker, type AskingPast, Refused } from "@ledge/api";
import { createLogger } from "@ledge/host/logger";
import { type KernelHealth, systemClock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { PastThreads } from "./past-threads.ts";
import { heapMbOf } from "./thread.ts";

// A copy from testdata/odd-worker.ts, which only a thread can import.
const odd = { answers: 0, hangs: 1, throws: 2, exits: 3, fills: 4, waits: 5, fails: 6 } as const;

const health: KernelHealth = {
  state: "serving",
  reason: null,
  queued: 0,
  commits: 0,
  clockTrusted: true,
  quotaExceeded: false,
};

/** A clock on which nothing is late. */
const patient = { after: () => () => {} };

function threadsOf(
  context: TestContext,
  clock: ConstructorParameters<typeof PastThreads>[0]["clock"] = patient,
  state: KernelHealth["state"] = "serving",
  entry = new URL("./testdata/odd-worker.ts", import.meta.url),
): PastThreads {
  const threads = new PastThreads({
    kernel: { health: { ...health, state } },
    folder: "/nowhere",
    hubId: "h",
    version: "1.14.15.1",
    clock,
    logger: createLogger("silent"),
    entry,
  });
  context.after(() => threads.close());
  return threads;
}

const askerOf = (user: string | null): Asker => ({
  viewer: { role: 8, user, since: 0 },
  language: "en",
});

let requests = 0;

async function ask(
  threads: PastThreads,
  at: number,
  user: string | null = `user-${++requests}`,
  options: AskingPast = {},
): Promise<readonly [status: number, text: string]> {
  const args = { row: "GET /devices", query: { user }, at, listener: "local", id: "r" } as const;
  const answer = await threads.ask("row", args, askerOf(user), options);
  return answer instanceof Refused ? [answer.status, answer.message] : [200, Buffer.from(answer).toString()];
}

test("gives each answer to its caller, and allows one question per caller at a time", async (context) => {
  const threads = threadsOf(context);
  const users = ["a", "b", null];
  const asked = users.map((user) => ask(threads, odd.answers, user));
  for (const user of users) {
    const [status, text] = await ask(threads, odd.answers, user);
    assert.deepEqual([status, text], [429, "one question about the past at a time"]);
  }
  assert.deepEqual(
    await Promise.all(asked),
    users.map((user) => [200, JSON.stringify({ user })]),
  );
  assert.equal((await ask(threads, odd.answers, "a"))[0], 200);
});

test("whoever gives a question up asks the next one at once, also while the thread still starts", async (context) => {
  const threads = threadsOf(context);
  const left = new AbortController();
  const first = ask(threads, odd.answers, "a", { signal: left.signal });
  left.abort();
  const next = ask(threads, odd.answers, "a");
  assert.equal((await ask(threads, odd.answers, "a"))[0], 429, "beside the next one");
  assert.equal((await first)[0], 200);
  assert.equal((await next)[0], 200);
});

for (const [what, why] of [
  ["throws", /made to throw/],
  ["exits", /it has ended/],
  ["fills", /memory/],
] as const) {
  test(`a thread that ${what} gives 503, and the next question is answered`, async (context) => {
    const threads = threadsOf(context);
    const [status, text] = await ask(threads, odd[what]);
    assert.equal(status, 503);
    assert.match(text, why);
    assert.equal((await ask(threads, odd.answers))[0], 200);
  });
}

test("a hanging thread is ended when its time is over, and the next question is answered", async (context) => {
  let isHurried = false;
  const clock = {
    after: (ms: number, callback: () => void) => systemClock.after(isHurried ? ms / 100 : ms, callback),
  };
  const threads = threadsOf(context, clock);
  // The thread has to start before it can be late.
  assert.equal((await ask(threads, odd.answers))[0], 200);
  isHurried = true;
  assert.deepEqual(await ask(threads, odd.hangs), [503, "the past could not be read: it took too long"]);
  isHurried = false;
  assert.equal((await ask(threads, odd.answers))[0], 200);
});

test("a thread that does not start is given up, and an idle one is ended and restarted on demand", async (context) => {
  const due: { readonly ms: number; readonly callback: () => void }[] = [];
  const clock = {
    after: (ms: number, callback: () => void) => {
      due.push({ ms, callback });
      return () => {};
    },
  };
  const silent = new URL("data:text/javascript,setInterval(() => {}, 1000)");
  const first = ask(threadsOf(context, clock, "serving", silent), odd.answers);
  const start = due.pop();
  assert.equal(start?.ms, limits.pastStartMs);
  start.callback();
  assert.deepEqual(await first, [503, "the past could not be read: it did not start"]);

  const threads = threadsOf(context, clock);
  assert.equal((await ask(threads, odd.answers))[0], 200);
  const idle = due.pop();
  assert.equal(idle?.ms, limits.pastIdleMs);
  idle.callback();
  assert.equal((await ask(threads, odd.answers))[0], 200);
});

test("an internal error in a task rejects the question", async (context) => {
  const threads = threadsOf(context);
  await assert.rejects(ask(threads, odd.fails), /made to fail/);
  assert.equal((await ask(threads, odd.answers))[0], 200);
});

test("a caller may give up a running or waiting question, and a long one delays no other", async (context) => {
  const threads = threadsOf(context);
  const [begun, waiting] = [new AbortController(), new AbortController()];
  const budgetMs = limits.pastBudgetMs + 1;
  const first = ask(threads, odd.waits, "a", { signal: begun.signal, budgetMs });
  const second = ask(threads, odd.answers, "b", { signal: waiting.signal, budgetMs });
  assert.equal((await ask(threads, odd.answers, "c"))[0], 200);
  waiting.abort();
  assert.deepEqual(await second, [503, "nobody waits for the answer"]);
  begun.abort();
  assert.deepEqual(await first, [503, "given up"]);
  const { signal } = begun;
  assert.deepEqual(await ask(threads, odd.answers, "a", { signal }), [503, "nobody waits for the answer"]);
});

test("limits the number of waiting questions", async (context) => {
  const threads = threadsOf(context);
  const holding = new AbortController();
  const first = ask(threads, odd.waits, "first", { signal: holding.signal });
  const waiting = Array.from({ length: limits.pastQuestions }, () => ask(threads, odd.answers));
  assert.deepEqual(await ask(threads, odd.answers), [503, "too many ask about the past; try again"]);
  holding.abort();
  assert.equal((await first)[0], 503);
  for (const [status] of await Promise.all(waiting)) assert.equal(status, 200);
});

test("a stop answers all waiting callers, and a hub without a readable log refuses questions", async (context) => {
  const threads = threadsOf(context);
  const asked = [ask(threads, odd.hangs), ask(threads, odd.answers)];
  await threads.close();
  const shutting = [503, "the hub is shutting down"];
  assert.deepEqual(await Promise.all([...asked, ask(threads, odd.answers)]), [shutting, shutting, shutting]);
  for (const state of ["rescue", "failed"] as const)
    assert.match((await ask(threadsOf(context, patient, state), odd.answers))[1], /the log cannot be read/);
});

test("the heap of a thread fits the machine", () => {
  const gibibyte = 2 ** 30;
  const heaps = [gibibyte / 2, gibibyte, 2 * gibibyte, 4 * gibibyte, 64 * gibibyte].map(heapMbOf);
  assert.deepEqual(heaps, [limits.pastHeapLeastMb, 128, 256, limits.pastHeapMb, limits.pastHeapMb]);
});
