import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Chores } from "./chores.ts";

function stage(): { chores: Chores; begun: string[]; end: (key: string, error?: Error) => Promise<void> } {
  const begun: string[] = [];
  const open = new Map<string, PromiseWithResolvers<void>>();
  const chores = new Chores(() => {});
  const add = chores.add.bind(chores);
  chores.add = (key, _run, when) =>
    add(
      key,
      () => {
        begun.push(key);
        const ending = Promise.withResolvers<void>();
        open.set(key, ending);
        return ending.promise;
      },
      when,
    );
  const end = async (key: string, error?: Error): Promise<void> => {
    const ending = open.get(key);
    if (error) ending?.reject(error);
    else ending?.resolve();
    await turn();
  };
  return { chores, begun, end };
}

const nothing = async (): Promise<void> => {};

test("runs two chores at once, in turn, with urgent ones next", async () => {
  const { chores, begun, end } = stage();
  for (const key of ["a", "b", "c"]) chores.add(key, nothing);
  chores.add("d", nothing, "next");
  assert.deepEqual(begun, ["a", "b"]);
  await end("a");
  assert.deepEqual(begun, ["a", "b", "d"]);
  await end("d", new Error("after 10ms"));
  assert.deepEqual(begun, ["a", "b", "d", "c"], "a failed chore frees its place");
});

test("keeps at most one waiting chore of a key, and runs one at a time", async () => {
  const { chores, begun, end } = stage();
  for (const key of ["a", "a", "a"]) chores.add(key, nothing);
  assert.deepEqual(begun, ["a"]);
  await end("a");
  assert.deepEqual(begun, ["a", "a"]);
  await end("a");
  assert.deepEqual(begun, ["a", "a"]);
});

test("drops waiting chores when the radio is lost", async () => {
  const { chores, begun, end } = stage();
  for (const key of ["a", "b", "c"]) chores.add(key, nothing);
  chores.clear();
  await end("a");
  assert.deepEqual(begun, ["a", "b"]);
});
