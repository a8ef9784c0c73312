import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { open } from "lmdb";
import { checkFile } from "./check-file.ts";
import { LogError } from "./event-log.ts";

const pageBytes = 4096;
const folder = mkdtempSync(join(tmpdir(), "ledge-check-file-"));
after(() => rmSync(folder, { recursive: true }));

/** A value that takes pages of its own. */
const big = (byte: number): Buffer => Buffer.alloc(3 * pageBytes, byte);

/** Writes values that stay, then values that are removed again, so that the file ends with free pages. */
before(async () => {
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, pageSize: pageBytes });
  const table = root.openDB<Buffer, string>({ name: "table", encoding: "binary" });
  for (let i = 0; i < 200; i++)
    await table.put(`kept-${i}`, i % 10 === 0 ? big(i) : Buffer.from(`value ${i}`));
  for (let i = 0; i < 40; i++) await table.put(`gone-${i}`, big(i));
  for (let i = 0; i < 40; i++) await table.remove(`gone-${i}`);
  await root.close();
});

/** Returns a copy of the file truncated to this many pages. */
function cutTo(pages: number): string {
  const copy = join(folder, `cut-${pages}`);
  mkdirSync(copy, { recursive: true });
  copyFileSync(join(folder, "data.mdb"), join(copy, "data.mdb"));
  truncateSync(join(copy, "data.mdb"), pages * pageBytes);
  return copy;
}

function isAccepted(pages: number): boolean {
  try {
    checkFile(cutTo(pages), false);
    return true;
  } catch (error) {
    assert.ok(error instanceof LogError && error.code === "damaged", String(error));
    assert.match(error.message, /lacks \d+ bytes: page \d+: behind the end of the file|is not an LMDB file/);
    return false;
  }
}

/** Uses a file in another process, because that may die: reads all values, then writes more and reads those. */
function useIn(path: string): { readonly signal: NodeJS.Signals | null; readonly said: string } {
  const script = `
    import { open } from "lmdb";
    const root = open({ path: ${JSON.stringify(path)}, noSubdir: false, overlappingSync: false, pageSize: ${pageBytes} });
    const table = root.openDB({ name: "table", encoding: "binary" });
    let right = 0;
    for (let i = 0; i < 200; i++) {
      const wanted = i % 10 === 0 ? Buffer.alloc(${3 * pageBytes}, i) : Buffer.from("value " + i);
      if (table.getBinary("kept-" + i)?.equals(wanted)) right++;
    }
    for (let i = 0; i < 100; i++) await table.put("new-" + i, Buffer.alloc(9000, i));
    for (let i = 0; i < 100; i++) if (table.getBinary("new-" + i)?.equals(Buffer.alloc(9000, i))) right++;
    await root.close();
    console.log(right);`;
  const { signal, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return { signal, said: stdout.trim() };
}

/** The fewest pages that `checkFile` accepts. */
function fewestPages(): number {
  let pages = statSync(join(folder, "data.mdb")).size / pageBytes;
  while (isAccepted(pages - 1)) pages--;
  return pages;
}

test("accepts a file that lacks free pages at its end, and LMDB reads and writes it", () => {
  const whole = statSync(join(folder, "data.mdb")).size / pageBytes;
  const fewest = fewestPages();
  assert.ok(fewest < whole - 50, `${fewest} of ${whole} pages`);
  assert.deepEqual(useIn(cutTo(fewest)), { signal: null, said: "300" });
});

test("refuses every file that lacks a page in use, which would end the process", () => {
  const fewest = fewestPages();
  for (let pages = 0; pages < fewest; pages++) assert.equal(isAccepted(pages), false, `${pages} pages`);
  assert.equal(useIn(cutTo(fewest - 1)).signal, "SIGBUS");
});
