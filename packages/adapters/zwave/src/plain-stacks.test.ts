import assert from "node:assert/strict";
import { test } from "node:test";
import { withPlainStacks } from "./plain-stacks.ts";

test("takes back what a library does to the stacks of errors, also when it cannot be loaded", async () => {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  const mapped = (): string => "a mapped stack";
  const load = async (): Promise<number> => {
    Error.prepareStackTrace = mapped;
    return 1;
  };
  assert.equal(await withPlainStacks(load), 1);
  assert.deepEqual(Object.getOwnPropertyDescriptor(Error, "prepareStackTrace"), before);
  const fail = (): Promise<never> => load().then(() => Promise.reject(new Error("not there")));
  await assert.rejects(withPlainStacks(fail), /not there/);
  assert.deepEqual(Object.getOwnPropertyDescriptor(Error, "prepareStackTrace"), before);
});
