import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildWeb, type WebFileSize } from "./web.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-web-"));
let files: readonly WebFileSize[];

before(async () => {
  files = await buildWeb(folder);
});
after(() => rmSync(folder, { recursive: true }));

/** The most that the interface may weigh, packed with gzip (bytes). */
const most = { first: 55_000, file: 25_000, all: 260_000 };

const gzipOf = (some: readonly WebFileSize[]): number => some.reduce((sum, { gzip }) => sum + gzip, 0);

test("the interface is light: what it loads first, each further file, and all of it", () => {
  const first = files.filter(({ isFirst }) => isFirst);
  assert.ok(first.length >= 3, "the page has no code or styles");
  assert.ok(gzipOf(first) <= most.first, `${gzipOf(first)} bytes first`);
  for (const { name, gzip, isFirst } of files) assert.ok(isFirst || gzip <= most.file, `${name}: ${gzip}`);
  assert.ok(gzipOf(files) <= most.all, `${gzipOf(files)} bytes in all`);
});

test("the page names its code and styles by their hashes, and nothing of its own", () => {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
  assert.ok(named.length >= 3);
  for (const path of named) assert.ok(existsSync(join(folder, path.replace("/ui/", ""))), path);
  assert.equal(named.filter((path) => /^\/ui\/\w+-[A-Z0-9]{8}\.(?:js|css)$/.test(path)).length, 2);
  // The policy of the hub lets neither in.
  assert.doesNotMatch(page, /<style|style=|<script>|\son\w+=/);
});

test("every file is packed in two ways", () => {
  for (const { name } of files)
    for (const suffix of [".gz", ".br"]) assert.ok(existsSync(join(folder, name + suffix)), name + suffix);
});

test("the code of each screen and language comes by itself", () => {
  for (const name of ["home", "devices", "device", "alarms", "more", "fi", "sv", "de"])
    assert.ok(
      files.some((file) => file.name.startsWith(`${name}-`) && !file.isFirst),
      name,
    );
});

test("a second build leaves nothing of the first", async () => {
  const again = await buildWeb(folder);
  assert.deepEqual(again.map(({ name }) => name).toSorted(), files.map(({ name }) => name).toSorted());
  assert.equal(readdirSync(folder).length, 3 * again.length);
});
