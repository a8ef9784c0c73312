import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { flushFolder, requireFile } from "../lmdb-file.ts";
import { alignedMemory } from "./aligned-memory.ts";
import { writeFrame } from "./frame.ts";
import { journalBytes, pageBytes, regionBytes, regionCount } from "./layout.ts";

/** How the journal reaches the disk: past the page cache, or through it where the file system requires that. */
export type JournalMode = "direct" | "buffered";

export interface JournalFile {
  readonly descriptor: number;
  readonly mode: JournalMode;
  readonly bytes: number;
}

const journalPath = (folder: string): string => join(folder, "journal");

/**
 * Creates an empty journal in place of any other. Writes it completely under another name first. Writes its zeros
 * instead of allocating space, because a write into allocated space costs a second flush.
 * @throws the error of `node:fs`; the old journal is then unchanged
 */
export async function createJournal(folder: string): Promise<void> {
  const path = journalPath(folder);
  const fresh = `${path}.new`;
  try {
    const file = await open(fresh, "w", 0o600);
    try {
      const zeros = Buffer.alloc(regionBytes);
      for (let i = 0; i < regionCount; i++) {
        const { bytesWritten } = await file.write(zeros, 0, regionBytes, i * regionBytes);
        if (bytesWritten < regionBytes)
          throw new Error(`only ${bytesWritten} bytes of a region were written`);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  flushFolder(folder);
}

export function hasJournal(folder: string): boolean {
  return existsSync(journalPath(folder));
}

/** Deletes a journal whose blocks are all moved. */
export function removeJournal(folder: string): void {
  rmSync(journalPath(folder));
  flushFolder(folder);
}

/**
 * Renames a journal so that it is kept but no longer used. Keeps journals that were set aside before. The caller
 * then calls `createJournal`.
 * @throws the error of `node:fs`; the journal is then unchanged
 */
export function setJournalAside(folder: string, timestamp: number): void {
  const path = journalPath(folder);
  const kept = (number: number): string => `${path}.cut-${timestamp}${number === 0 ? "" : `-${number}`}`;
  let number = 0;
  while (existsSync(kept(number))) number += 1;
  renameSync(path, kept(number));
}

/**
 * Opens the journal of a folder. Returns undefined when there is none.
 * @param access `direct: false` skips the direct mode
 * @throws LogError `damaged` when the path is a folder, otherwise the error of `node:fs`
 */
export function openJournal(
  folder: string,
  access: { readonly readOnly: boolean; readonly direct?: boolean },
): JournalFile | undefined {
  const { readOnly, direct = true } = access;
  requireFile(journalPath(folder));
  const flags = readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_DSYNC;
  try {
    return (
      (direct ? openDirect(journalPath(folder), flags) : undefined) ??
      opened(openSync(journalPath(folder), flags), "buffered")
    );
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Returns undefined where the file system refuses direct access. Some file systems refuse only at the first use. */
function openDirect(path: string, flags: number): JournalFile | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, flags | constants.O_DIRECT);
    readSync(descriptor, Buffer.from(alignedMemory(65_536)), 0, pageBytes, 0);
    return opened(descriptor, "direct");
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    if (isRefusal(error, "EINVAL", "EOPNOTSUPP", "ENOTSUP")) return undefined;
    throw error;
  }
}

function opened(descriptor: number, mode: JournalMode): JournalFile {
  return { descriptor, mode, bytes: fstatSync(descriptor).size };
}

/**
 * Marks a journal with the epoch of its log, by a frame without a block in the last page. Other frames reach that
 * page last, and carry the epoch themselves. On disk when this returns.
 * @throws the error of `node:fs`, or Error when the write is short
 */
export function stampJournal({ descriptor }: JournalFile, epoch: bigint): void {
  const frame = Buffer.from(alignedMemory(65_536));
  const length = writeFrame(frame, epoch, new Uint8Array());
  const written = writeSync(descriptor, frame, 0, length, journalBytes - length);
  if (written < length) throw new Error(`only ${written} of ${length} bytes were written to the journal`);
}

export function closeJournal({ descriptor }: JournalFile): void {
  closeSync(descriptor);
}

/** Yields the regions as they are on disk, each in the same memory. A truncated journal has fewer regions. */
export function* regionsOf({ descriptor }: JournalFile): Generator<Buffer> {
  const memory = Buffer.from(alignedMemory(regionBytes));
  for (let position = 0; position < journalBytes; position += regionBytes) {
    const bytes = readSync(descriptor, memory, 0, regionBytes, position);
    yield memory.subarray(0, bytes);
  }
}

function isRefusal(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
