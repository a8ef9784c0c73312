import assert from "node:assert/strict";
import { test } from "node:test";
import { namedParts, partsBehind, partsToRun, runInOrder } from "./parts-order.ts";

const needs = { build: [], install: ["build"], keep: ["install"], other: ["build"], alone: [] };
const all = Object.keys(needs);
const nothing = (): boolean => false;

test("what is wanted runs with what it needs, unless that was done before", () => {
  assert.deepEqual(partsToRun(needs, ["keep"], nothing), ["build", "install", "keep"]);
  const isDone = (name: string): boolean => name === "install";
  assert.deepEqual(partsToRun(needs, ["keep"], isDone), ["keep"]);
  // What somebody asks for runs again.
  assert.deepEqual(
    partsToRun(needs, ["install", "keep"], () => true),
    ["install", "keep"],
  );
  assert.deepEqual(partsToRun(needs, ["alone", "other"], nothing), ["build", "other", "alone"]);
});

test("what builds on a part that runs again is not done any more", () => {
  assert.deepEqual(partsBehind(needs, ["build"]), ["install", "keep", "other"]);
  assert.deepEqual(partsBehind(needs, ["install", "alone"]), ["keep"]);
  assert.deepEqual(partsBehind(needs, all), []);
  assert.deepEqual(partsBehind({ late: ["early"], early: ["first"], first: [] }, ["first"]), [
    "late",
    "early",
  ]);
});

test("a name stands for a part, or for all that begin with it", () => {
  const named = { build: [], "update-install": ["build"], "update-keep": [], updates: [] };
  assert.deepEqual(namedParts(named, ["update", "build"]), ["update-install", "update-keep", "build"]);
  assert.deepEqual(namedParts(named, ["update-keep"]), ["update-keep"]);
  assert.equal(namedParts(named, ["build", "updat"]), "updat");
  assert.equal(namedParts(named, [""]), "");
});

/** Runs parts that end when they are told to. @returns what has begun, and how one ends */
function ended(names: readonly string[], lanes: number) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const over = runInOrder(needs, names, lanes, async (name) => {
    begun.push(name);
    await new Promise<void>((resolve, reject) =>
      ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
    );
  });
  const end = async (name: string, error?: Error): Promise<readonly string[]> => {
    ends.get(name)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
    return begun.slice();
  };
  return { begun, end, over };
}

test("a part begins after those that it needs, and no more run at a time than there are lanes", async () => {
  const { begun, end, over } = ended(all, 2);
  assert.deepEqual(begun, ["build", "alone"]);
  assert.deepEqual(await end("build"), ["build", "alone", "install"]);
  assert.deepEqual(await end("alone"), ["build", "alone", "install", "other"]);
  assert.deepEqual((await end("install")).at(-1), "keep");
  await end("keep");
  await end("other");
  assert.deepEqual([...(await over)], []);
});

test("parts that need one that failed do not run, and the others do", async () => {
  const { begun, end, over } = ended(all, 1);
  await end("build");
  await end("install", new Error("no bundle"));
  await end("other");
  await end("alone");
  const failures = [...(await over)].map(([name, error]) => [name, (error as Error).message]);
  assert.deepEqual(failures, [
    ["install", "no bundle"],
    ["keep", "keep was not run: it needs install"],
  ]);
  assert.deepEqual(begun, ["build", "install", "other", "alone"]);
});

test("nothing runs where the first part fails", async () => {
  const { begun, end, over } = ended(["build", "install", "keep", "other"], 2);
  await end("build", new Error("no base"));
  assert.deepEqual([...(await over).keys()], ["build", "install", "keep", "other"]);
  assert.deepEqual(begun, ["build"]);
});
