import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openWebFolder } from "./web-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-web-"));
after(() => rmSync(folder, { recursive: true }));
for (const [name, text] of Object.entries({
  "index.html": "<!doctype html>",
  "index.html.gz": "packed",
  "main-ABCD2345.js": "run()",
  "main-ABCD2345.js.br": "smaller",
  "main-ABCD2345.js.gz": "small",
  "notes.txt": "no part of the interface",
})) {
  writeFileSync(join(folder, name), text);
}
const files = openWebFolder(folder);

test("finds pages, code and styles, and says how they are packed", async () => {
  const script = files.find("main-ABCD2345.js");
  assert.deepEqual(
    [script?.contentType, script?.packings],
    ["text/javascript; charset=utf-8", ["br", "gzip"]],
  );
  assert.equal(Buffer.from((await script?.read("br")) ?? []).toString(), "smaller");
  assert.equal(Buffer.from((await script?.read()) ?? []).toString(), "run()");
});

test("keeps a file for ever only if its name has a hash", () => {
  assert.deepEqual(
    ["index.html", "main-ABCD2345.js"].map((name) => files.find(name)?.isLasting),
    [false, true],
  );
});

test("gives a page another tag when its content changes", () => {
  const before = files.find("index.html")?.etag;
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>");
  assert.notEqual(openWebFolder(folder).find("index.html")?.etag, before);
});

for (const name of ["../index.html", "notes.txt", "index.html.gz", "", ".", "nothing.js", "__proto__"]) {
  test(`does not find ${JSON.stringify(name)}`, () => assert.equal(files.find(name), undefined));
}

test("finds nothing where there is no folder", () => {
  assert.equal(openWebFolder(join(folder, "nowhere")).find("index.html"), undefined);
});
