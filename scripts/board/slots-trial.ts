import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeVfat, startScript, uBootIn } from "./boot-files.ts";
import { copyInto, mebibyte, partitionedDisk, readAt } from "./partition-table.ts";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-slots");
const fatMebibytes = 16;

/** A record of the choice, as `ledge-slots` writes it. */
function record(number: string, primary: string, a: string, b: string, whole = number): string {
  return `begin=${number}\nprimary=${primary}\nslotA=${a}\nslotB=${b}\nwhole=${whole}\n`;
}

/** What the two records are -> what a boot finds. */
const choices: Readonly<Record<string, readonly [string, string]>> = {
  "a new disk": ["", ""],
  "a good slot": [record("a", "B", "good", "good"), record("9", "A", "good", "bad")],
  "a new slot": [record("f", "A", "good", "bad"), record("10", "B", "good", "new")],
  "a slot that was tried": [record("11", "B", "good", "tried"), record("10", "B", "good", "new")],
  "a new slot without a good one beside it": [record("2", "A", "new", "bad"), ""],
  "a torn record": [record("7", "B", "good", "new", "6"), record("6", "A", "good", "bad")],
  "a bad slot": [record("1", "A", "bad", "good"), ""],
};

/**
 * Has U-Boot choose a slot by its script, for each state of the records, and `ledge-slots` by its own rules: both
 * choose the same and write the same, and to nothing else. The slots have no kernel, so U-Boot gives up each of them too.
 * @param firmware folder where U-Boot's package is unpacked
 * @param folder for the disks
 * @returns how many states were compared
 */
export function trySlots(firmware: string, folder: string): number {
  const [start, empty, disk] = [join(folder, "start"), join(folder, "empty"), join(folder, "slots.img")];
  makeVfat(start, "START", fatMebibytes, startScript(["ttyAMA0"]));
  makeVfat(empty, "BOOT", fatMebibytes, { vmlinuz: { text: "no kernel" } });
  for (const [name, records] of Object.entries(choices)) {
    const starts = partitionedDisk(disk, [
      { name: "start", mebibytes: fatMebibytes },
      { name: "slots", mebibytes: 1 },
      { name: "boot-a", mebibytes: fatMebibytes },
      { name: "boot-b", mebibytes: fatMebibytes },
    ]);
    for (const [part, file] of Object.entries({ start, "boot-a": empty, "boot-b": empty }))
      copyInto(disk, file, starts[part] ?? 0);
    const at = (starts["slots"] ?? 0) * mebibyte;
    const state = Buffer.alloc(mebibyte);
    state.write(records[0], 0);
    state.write(records[1], 4096);
    writeAt(disk, state, at);
    const startBefore = readAt(disk, mebibyte, fatMebibytes * mebibyte);
    const said = uBoot(uBootIn(firmware, "qemu_arm64"), disk);
    const startAfter = readAt(disk, mebibyte, fatMebibytes * mebibyte);
    assert.ok(startAfter.equals(startBefore), `${name}: U-Boot has written to its own partition`);
    const expected = join(folder, "expected");
    writeFileSync(expected, state);
    const chosen = slots(expected, "boot");
    const other = chosen === "A" ? "B" : "A";
    if (slots(expected, "get-state", other) === "good") slots(expected, "set-state", chosen, "bad");
    assert.match(said, new RegExp(`slot ${chosen} is booted`), `${name}: ${said.slice(-1500)}`);
    const found = join(folder, "found");
    writeFileSync(found, readAt(disk, at, mebibyte));
    assert.equal(newestIn(found), newestIn(expected), name);
  }
  return Object.keys(choices).length;
}

/** Runs U-Boot until it resets the machine. @returns what it said */
function uBoot(bios: string, disk: string): string {
  const flags = ["-M", "virt", "-cpu", "cortex-a72", "-m", "512", "-nographic", "-no-reboot", "-nic", "none"];
  const drive = ["-drive", `file=${disk},format=raw,if=none,id=disk`, "-device", "virtio-blk-pci,drive=disk"];
  const { stdout, error } = spawnSync("qemu-system-aarch64", [...flags, "-bios", bios, ...drive], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 300_000,
  });
  if (error) throw error;
  return stdout;
}

function slots(state: string, ...words: readonly string[]): string {
  const env = { ...process.env, LEDGE_SLOTS: state };
  return execFileSync("sh", [program, ...words], { env, encoding: "utf8" }).trim();
}

/** What counts in a file of records. */
function newestIn(state: string): string {
  return ["get-primary", "get-state A", "get-state B"]
    .map((words) => slots(state, ...words.split(" ")))
    .join(" ");
}

function writeAt(path: string, bytes: Buffer, at: number): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, undefined, at);
  closeSync(file);
}
