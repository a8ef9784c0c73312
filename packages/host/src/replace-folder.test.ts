import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { finishReplacement, freshFolder, replaceFolder } from "./replace-folder.ts";
import { temporaryFolder } from "@ledge/testkit";

/** A fresh folder beside one that may be there; `isReady` as an interrupted replacement leaves it. */
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
  test(`an interrupted replacement of a folder that is ${what} ends in ${expected.join() || "nothing"}`, () => {
    const { folder, root, names } = folders(old, isReady);
    finishReplacement(folder);
    assert.deepEqual(names(), expected);
    root.remove();
  });
}

test("an empty folder is replaced, and not kept", () => {
  const { folder, root, names } = folders([], false);
  assert.equal(replaceFolder(folder, `${folder}.aside`), false);
  assert.deepEqual([names(), readdirSync(root.path)], [["hub"], ["home"]]);
  root.remove();
});
