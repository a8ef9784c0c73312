import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { finishReplacement, freshFolder, replaceFolder } from "./replace-folder.ts";
import { temporaryFolder } from "@ledge/testkit";

/** Makes a new folder beside an optional old one; `isReady` as an interrupted replacement leaves it. */
function folders(old: readonly string[] | undefined, isReady: boolean) {
  const root = temporaryFolder();
  const folder = join(root.path, "home");
  if (old !== undefined) mkdirSync(folder);
  for (const name of old ?? []) writeFileSync(join(folder, name), "old");
  mkdirSync(freshFolder(folder));
  writeFileSync(join(freshFolder(folder), "hub"), "new");
  if (isReady) writeFileSync(join(freshFolder(folder), "ready.new"), "");
  return { folder, root, names: () => readdirSync(folder) };
}

for (const [what, old, isReady, expected] of [
  ["gone", undefined, true, ["hub"]],
  ["empty", [], true, ["hub"]],
  ["used", ["old"], true, ["old"]],
  ["empty, and the new one not proven,", [], false, []],
] as const) {
  test(`finishReplacement of a folder that is ${what} leaves ${expected.join() || "nothing"}`, () => {
    const { folder, root, names } = folders(old, isReady);
    finishReplacement(folder);
    assert.deepEqual(names(), expected);
    root.remove();
  });
}

test("replaceFolder replaces an empty folder and does not keep it", () => {
  const { folder, root, names } = folders([], false);
  assert.equal(replaceFolder(folder, `${folder}.aside`), false);
  assert.deepEqual([names(), readdirSync(root.path)], [["hub"], ["home"]]);
  root.remove();
});
