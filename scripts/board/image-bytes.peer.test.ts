import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { makeVfat } from "./boot-files.ts";
import { dataPartition, dataType, packRoot } from "./image.ts";
import { partitionNamed } from "./cut-disk.ts";
import { copyInto, mebibyte, partitionedDisk, readAt } from "./partition-table.ts";

const folder = temporaryFolder();
after(() => folder.remove());

/** Builds a small disk of each kind of file system, from files of a day of their own. @returns its sum */
function sumOf(name: string, day: string, hub: string): string {
  const home = join(folder.path, name);
  const [root, start, packed, disk] = ["root", "start.vfat", "root.squashfs", "disk.img"].map((one) =>
    join(home, one),
  ) as [string, string, string, string];
  mkdirSync(join(root, "opt"), { recursive: true });
  for (const file of ["hub.mjs", "ledge.mjs"]) {
    writeFileSync(join(root, "opt", file), hub);
    utimesSync(join(root, "opt", file), new Date(day), new Date(day));
  }
  makeVfat(start, "START", 16, {
    "boot.scr": { text: "boot" },
    "hub.mjs": { from: join(root, "opt", "hub.mjs") },
  });
  packRoot(root, packed);
  const starts = partitionedDisk(disk, [
    { name: "start", mebibytes: 16 },
    { name: "rootfs-a", mebibytes: 8 },
  ]);
  copyInto(disk, start, starts["start"] ?? 0);
  copyInto(disk, packed, starts["rootfs-a"] ?? 0);
  return createHash("sha256").update(readFileSync(disk)).digest("hex");
}

test("the same files give the same disk, whenever they were written", async () => {
  const first = sumOf("first", "2026-01-02T03:04:05Z", "serve();");
  // Times in a FAT are even seconds.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  assert.equal(sumOf("second", "2026-06-07T08:09:10Z", "serve();"), first);
  assert.notEqual(sumOf("third", "2026-01-02T03:04:05Z", "serve( );"), first);
});

test("a card of exactly the image's size is left, at each boot, without an error", () => {
  const [disk, definitions] = [join(folder.path, "exact.img"), join(folder.path, "exact.d")];
  const names = ["start", "slots", "boot-a", "rootfs-a", "boot-b", "rootfs-b"];
  const slots = names.map((name) => ({ name, mebibytes: 8 }));
  partitionedDisk(disk, [...slots, { name: "data", mebibytes: 16, type: dataType }]);
  const before = partitionNamed(disk, "data");
  mkdirSync(definitions);
  writeFileSync(join(definitions, "50-data.conf"), dataPartition);
  for (let boot = 0; boot < 2; boot++)
    execFileSync("systemd-repart", [`--definitions=${definitions}`, "--dry-run=no", disk], { stdio: "pipe" });
  // The MiB behind it holds the second copy of the table.
  const { at, length } = partitionNamed(disk, "data");
  assert.equal(at, before.at);
  assert.ok(length >= before.length && length < before.length + mebibyte, String(length));
});

test("the partition for data takes the rest of a card, and the master boot record stays", () => {
  const [disk, definitions] = [join(folder.path, "card.img"), join(folder.path, "repart.d")];
  const slots = ["start", "slots", "boot-a", "rootfs-a"].map((name) => ({ name, mebibytes: 8 }));
  partitionedDisk(disk, [...slots, { name: "data", mebibytes: 16, type: dataType }]);
  truncateSync(disk, 128 * mebibyte);
  const [record, before] = [readAt(disk, 0, 512), partitionNamed(disk, "data")];
  mkdirSync(definitions);
  writeFileSync(join(definitions, "50-data.conf"), dataPartition);
  execFileSync("systemd-repart", [`--definitions=${definitions}`, "--dry-run=no", disk], { stdio: "pipe" });
  const grown = partitionNamed(disk, "data");
  assert.equal(grown.at, before.at);
  assert.ok(grown.at + grown.length > 127 * mebibyte, JSON.stringify(grown));
  assert.equal(partitionNamed(disk, "slots").length, 8 * mebibyte);
  assert.deepEqual(readAt(disk, 0, 512), record);
});
