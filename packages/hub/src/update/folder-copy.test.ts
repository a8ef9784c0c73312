import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { copyFolder, forgetCopy, restoreCopy, sizeOfCopy } from "./folder-copy.ts";
import { updateFolder } from "./update-file.ts";

/** The files of a data folder, by path. */
type Files = Readonly<Record<string, string>>;
const before: Files = { "hub.json": "old", "log/data.mdb": "old events", "adapters/zigbee/db": "old" };
const later: Files = { ...before, "hub.json": "new", "log/data.mdb": "new events", "more.json": "new" };

function write(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function read(folder: string): Files {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const own = paths.filter((path) => !path.startsWith("update/")).toSorted();
  return Object.fromEntries(own.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

const sorted = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1)));

test("a copy of a data folder stays as it was, and takes the folder's place", () => {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  write(folder, before);
  assert.equal(sizeOfCopy(folder), Object.values(before).join("").length);
  copyFolder(folder);
  write(folder, later);
  // A restart in the trial copies nothing that the new release has written.
  copyFolder(folder);
  assert.ok(restoreCopy(folder));
  assert.deepEqual(read(folder), sorted(before));
  assert.equal(readFileSync(join(updateFolder(folder), "newer", "more.json"), "utf8"), "new");
  assert.ok(!restoreCopy(folder), "a copy comes back twice");
  assert.deepEqual(read(folder), sorted(before));
  forgetCopy(folder);
  assert.ok(!existsSync(join(updateFolder(folder), "newer")));
  temporary.remove();
});

test("a restored copy is whole wherever the one before was interrupted", () => {
  const names = [...new Set(Object.keys(later).map((path) => path.split("/")[0] ?? ""))];
  const copied = [...new Set(Object.keys(before).map((path) => path.split("/")[0] ?? ""))];
  for (let step = 0; step <= names.length + copied.length; step++) {
    const temporary = temporaryFolder();
    const folder = temporary.path;
    write(folder, before);
    copyFolder(folder);
    write(folder, later);
    const within = updateFolder(folder);
    mkdirSync(join(within, "newer"));
    for (const name of names.slice(0, step)) renameSync(join(folder, name), join(within, "newer", name));
    if (step > names.length) {
      writeFileSync(join(within, "newer", "whole"), "");
      for (const name of copied.slice(0, step - names.length))
        renameSync(join(within, "before", name), join(folder, name));
    }
    assert.ok(restoreCopy(folder));
    assert.deepEqual(read(folder), sorted(before), `after ${step} steps`);
    temporary.remove();
  }
});

test("a copy that was interrupted is made anew", () => {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  write(folder, before);
  write(join(updateFolder(folder), "before.new"), { "hub.json": "half" });
  copyFolder(folder);
  write(folder, later);
  assert.ok(restoreCopy(folder));
  assert.deepEqual(read(folder), sorted(before));
  temporary.remove();
});
