import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { limits } from "@ledge/model";
import { type Answer, unanswered } from "./call.ts";
import { askPast, inTurn } from "./turns.ts";

const { signal } = new AbortController();

test("asks one question at a time, also after one that throws", async () => {
  const asked: string[] = [];
  const open = Promise.withResolvers<Answer<string>>();
  const ask = (name: string, answer: () => Promise<Answer<string>>) => (): Promise<Answer<string>> => {
    asked.push(name);
    return answer();
  };
  const first = inTurn(
    ask("first", () => open.promise),
    signal,
  );
  const failing = inTurn(
    ask("failing", () => Promise.reject(new Error("no"))),
    signal,
  );
  const last = inTurn(
    ask("last", () => Promise.resolve({ ok: true, value: "heard" })),
    signal,
  );
  await new Promise(setImmediate);
  assert.deepEqual(asked, ["first"]);
  open.resolve({ ok: true, value: "done" });
  await assert.rejects(failing, /no/);
  assert.deepEqual(
    [await first, await last],
    [
      { ok: true, value: "done" },
      { ok: true, value: "heard" },
    ],
  );
  assert.deepEqual(asked, ["first", "failing", "last"]);
});

test("does not ask what is given up while it waits", async () => {
  const left = new AbortController();
  const given = inTurn<never>(() => assert.fail("it was asked"), left.signal);
  left.abort();
  assert.deepEqual(await given, unanswered(0));
});

test("waits for an answer about the past for as long as a busy hub takes to start its thread and look", async () => {
  const answer = Promise.withResolvers<Response>();
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(globalThis, "fetch", (_url: string, { signal: left }: RequestInit) => {
    left?.addEventListener("abort", () => answer.reject(new Error("aborted")));
    return answer.promise;
  });
  try {
    const asked = askPast("/undo", { method: "POST", body: {} });
    await new Promise(setImmediate);
    mock.timers.tick(limits.pastStartMs + limits.undoBudgetMs + limits.pastGraceMs);
    answer.resolve(Response.json({ changed: true }));
    assert.deepEqual(await asked, { ok: true, value: { changed: true } });
  } finally {
    mock.reset();
  }
});
