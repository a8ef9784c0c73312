import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { libraries, librariesVariable, libraryFile } from "./libraries.ts";

test("a test loads each library from one file", async () => {
  const folder = process.env[librariesVariable];
  assert.ok(folder !== undefined, "scripts/check.ts names the folder");
  for (const name of libraries.flatMap((library) => Object.values(library).flat())) {
    const file: string = pathToFileURL(`${folder}/${libraryFile(name)}`).href;
    assert.equal(import.meta.resolve(name), file);
  }
});
