import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from "node:fs";

export const mebibyte = 1_048_576;
const sectorsPerMebibyte = 2048;

/** Types of entries of a master boot record: a FAT that is addressed by blocks, and what GPT protects itself by. */
const [fat, protective] = [0x0c, 0xee] as const;

/**
 * What computers show as a drive. Windows hides a partition of EFI's type, and U-Boot writes what EFI remembers to it
 * at a boot.
 */
const fatType = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7";

export interface Partition {
  readonly name: string;
  readonly mebibytes: number;
  /** Its type (UUID). Default: that of Linux file systems, and `fatType` of the first one. */
  readonly type?: string;
}

/**
 * Makes an empty disk image with a table of partitions (GPT), which begin at 1 MiB and follow each other. The first
 * one is in the master boot record too: the boot ROM of the Raspberry Pi 3 reads nothing else.
 * @returns where each partition begins (MiB)
 */
export function partitionedDisk(
  disk: string,
  partitions: readonly Partition[],
): Readonly<Record<string, number>> {
  const starts: Record<string, number> = {};
  let at = 1;
  for (const { name, mebibytes } of partitions) {
    starts[name] = at;
    at += mebibytes;
  }
  writeFileSync(disk, "");
  truncateSync(disk, (at + 1) * mebibyte);
  // Fixed ids, so that the same sources give the same bytes.
  const uuid = (index: number): string => `4c454447-4500-4000-8000-00000000000${index}`;
  const lines = partitions.map(
    ({ name, mebibytes, type }, index) =>
      `name=${name}, size=${mebibytes}MiB, type=${type ?? (index === 0 ? fatType : "L")}, uuid=${uuid(index + 1)}`,
  );
  const input = ["label: gpt", `label-id: ${uuid(0)}`, `first-lba: ${sectorsPerMebibyte}`, ...lines].join(
    "\n",
  );
  execFileSync("sfdisk", ["--quiet", disk], { input: `${input}\n`, stdio: ["pipe", "ignore", "inherit"] });
  const file = openSync(disk, "r+");
  writeSync(file, bootRecord(partitions[0]?.mebibytes ?? 0), 0, undefined, 446);
  closeSync(file);
  return starts;
}

/**
 * Returns the first two entries of a master boot record: a partition that begins at 1 MiB, and what is before it,
 * which says that there is a GPT.
 */
export function bootRecord(mebibytes: number): Buffer {
  return Buffer.concat([
    bootRecordEntry(fat, sectorsPerMebibyte, mebibytes * sectorsPerMebibyte),
    bootRecordEntry(protective, 1, sectorsPerMebibyte - 1),
  ]);
}

/** An entry of a master boot record. Its addresses by cylinder say that they are out of their range. */
function bootRecordEntry(type: number, start: number, sectors: number): Buffer {
  const entry = Buffer.alloc(16);
  entry.set([0xfe, 0xff, 0xff], 1);
  entry.set([type, 0xfe, 0xff, 0xff], 4);
  entry.writeUInt32LE(start, 8);
  entry.writeUInt32LE(sectors, 12);
  return entry;
}

/** Copies a file into a disk image, at a MiB of it. */
export function copyInto(disk: string, part: string, atMebibyte: number): void {
  const flags = ["bs=1M", `seek=${atMebibyte}`, "conv=notrunc,sparse", "status=none"];
  execFileSync("dd", [`if=${part}`, `of=${disk}`, ...flags]);
}

/** Returns so many bytes of a disk image. @param at where they begin, in bytes */
export function readAt(disk: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(disk, "r");
  readSync(file, bytes, 0, length, at);
  closeSync(file);
  return bytes;
}
