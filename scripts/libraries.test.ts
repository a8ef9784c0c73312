import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "@ledge/testkit";
import { removeOlder } from "./bundle-libraries.ts";
import { libraries, librariesVariable, libraryFile } from "./libraries.ts";

test("a test loads each library from one file", async () => {
  const folder = process.env[librariesVariable];
  assert.ok(folder !== undefined, "scripts/check.ts names the folder");
  for (const name of libraries.flatMap((library) => Object.values(library).flat())) {
    const file: string = pathToFileURL(`${folder}/${libraryFile(name)}`).href;
    assert.equal(import.meta.resolve(name), file);
  }
});

test("the files of earlier versions go, and nothing else", (t) => {
  const toolchain = temporaryFolder();
  t.after(() => toolchain.remove());
  for (const name of ["test-libraries-1", "test-libraries-2", "new-libraries-3", "test-bundle"])
    mkdirSync(join(toolchain.path, name, "own"), { recursive: true });
  removeOlder(join(toolchain.path, "test-libraries-2"));
  assert.deepEqual(readdirSync(toolchain.path).toSorted(), [
    "new-libraries-3",
    "test-bundle",
    "test-libraries-2",
  ]);
});
