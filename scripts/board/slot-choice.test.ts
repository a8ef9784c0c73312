import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { addSlotChoice } from "./slot-choice.ts";

/** Reads an archive in the format `newc` (cpio(5)) as the kernel does. */
function entriesOf(bytes: Buffer, from: number): Map<string, { mode: number; text: string }> {
  const entries = new Map<string, { mode: number; text: string }>();
  for (let at = from; ;) {
    assert.equal(bytes.toString("latin1", at, at + 6), "070701", `no entry at ${at}`);
    const field = (index: number): number =>
      parseInt(bytes.toString("latin1", at + 6 + index * 8, at + 14 + index * 8), 16);
    const [mode, size, nameSize] = [field(1), field(6), field(11)];
    const name = bytes.toString("latin1", at + 110, at + 109 + nameSize);
    const content = (at + 110 + nameSize + 3) & ~3;
    if (name === "TRAILER!!!") return entries;
    entries.set(name, { mode, text: bytes.toString("utf8", content, content + size) });
    at = (content + size + 3) & ~3;
  }
}

test("adds the choice of a slot to an initial file system of any length", () => {
  const temporary = temporaryFolder();
  for (const length of [4096, 4097, 4098, 4099]) {
    const file = join(temporary.path, `initrd-${length}`);
    writeFileSync(file, Buffer.alloc(length, 1));
    addSlotChoice(file);
    const bytes = readFileSync(file);
    const start = bytes.indexOf("070701");
    // The kernel looks for an archive at multiples of four bytes, behind zeros.
    assert.equal(start % 4, 0);
    assert.ok(bytes.subarray(length, start).every((byte) => byte === 0));
    const entries = entriesOf(bytes, start);
    assert.equal(entries.get("usr/bin/ledge-slots")?.mode, 0o100_755);
    assert.equal(entries.get("scripts/init-premount")?.mode, 0o040_755);
    assert.ok(
      [...entries.keys()].indexOf("scripts/init-premount") <
        [...entries.keys()].indexOf("scripts/init-premount/ORDER"),
    );
    assert.match(entries.get("scripts/init-premount/ledge-slots")?.text ?? "", /ROOT=PARTLABEL=/);
    assert.match(
      entries.get("scripts/init-premount/ORDER")?.text ?? "",
      /^\/scripts\/init-premount\/ledge-slots/,
    );
  }
  temporary.remove();
});
