/* Shared by the tests of the journal. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Commit } from "@ledge/model";
import type { Block, Recovery } from "../block.ts";
import { BlockLog } from "../block-log.ts";
import { encodeFrame, frameHash, noHash } from "../frame.ts";
import { LogError, NoRoomError } from "../event-log.ts";
import { openLmdbStore } from "../lmdb-store.ts";
import type { Destination } from "./destination.ts";
import { openJournaled } from "./open.ts";
import type { JournalOptions } from "./store.ts";

/** Returns the path of the journal in a folder. */
export const journalIn = (folder: string): string => join(folder, "journal");

export function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-journal-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a copy of the files as a killed process would leave them now. */
export function crashed(folder: string): string {
  const copy = mkdtempSync(`${folder}/crashed-`);
  for (const name of ["data.mdb", "journal"]) copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

export function commitOf(timestamp: number, text = ""): Commit {
  const event = { type: "Noted", id: "x", version: 1, origin: "device", depth: 0, text } as const;
  return { timestamp, events: [event] };
}

/** Returns frames of commits at 1, 2 and so on, each with the hash of the one before. */
export function chainOf(count: number, text = ""): Buffer[] {
  const frames: Buffer[] = [];
  let hash = noHash;
  for (let i = 1; i <= count; i++) {
    const frame = encodeFrame(commitOf(i, text), i, hash);
    hash = frameHash(frame, { start: 0, end: frame.length });
    frames.push(frame);
  }
  return frames;
}

/** How a test controls the disk under the log behind a journal. */
export interface Disk {
  /** Refuses all commits like a full disk, refuses all but moves, or fails them like a broken disk. */
  fault?: "full" | "too large" | "failed" | undefined;
  /** Awaited by each commit. */
  slowness?: () => Promise<void>;
  /** How many commits of blocks were tried. */
  commits: number;
  /** Bytes of the largest of these commits. */
  largest?: number;
}

/** Opens a log over real files behind a disk that the test controls. */
export async function openOn(disk: Disk, options: JournalOptions): Promise<BlockLog> {
  const store = await openLmdbStore(options.folder, false);
  return new BlockLog(await openJournaled(controlled(store, disk), { retryMs: 20, ...options }));
}

function controlled(store: Destination, disk: Disk): Destination {
  const meet = (isMove = false): void => {
    if (disk.fault === "full" || (disk.fault === "too large" && !isMove))
      throw new NoRoomError("the disk is full");
    if (disk.fault === "failed") throw new LogError("failed", "the disk is broken");
  };
  return {
    readOnly: false,
    blocks: (timestamp, below) => store.blocks(timestamp, below),
    lastBlock: (timestamp) => store.lastBlock(timestamp),
    epoch: () => store.epoch(),
    refresh: () => store.refresh(),
    stats: () => store.stats(),
    close: () => store.close(),
    cut: (block: Block, keep: number, recovery: Recovery) => store.cut(block, keep, recovery),
    get recovery() {
      return store.recovery;
    },
    async settleRecovery() {
      meet();
      await store.settleRecovery();
    },
    readSnapshotPart: (key) => store.readSnapshotPart(key),
    snapshotKeys: (prefix) => store.snapshotKeys(prefix),
    lastMoved: () => store.lastMoved(),
    compaction: () => store.compaction(),
    async compact(change, parts) {
      await disk.slowness?.();
      meet();
      await store.compact(change, parts);
    },
    hasRoom: async () => disk.fault === undefined,
    writeFailure: (cause) => store.writeFailure(cause),
    write: (block) => store.write(block),
    async writeAll(blocks) {
      disk.commits += 1;
      const bytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
      disk.largest = Math.max(disk.largest ?? 0, bytes);
      await disk.slowness?.();
      meet(true);
      await store.writeAll(blocks);
    },
    async writeEpoch(epoch) {
      meet();
      await store.writeEpoch(epoch);
    },
    awaitsJournal: () => store.awaitsJournal(),
    async writeAwaitsJournal(isAwaited) {
      meet();
      await store.writeAwaitsJournal(isAwaited);
    },
    async writeSnapshotParts(parts) {
      meet();
      await store.writeSnapshotParts(parts);
    },
  };
}

export function timestampsOf(log: BlockLog): number[] {
  return [...log.read()].map(({ timestamp }) => timestamp);
}

export function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** A gate at which a test makes other code wait. */
export class Gate {
  #open = Promise.withResolvers<void>();

  constructor() {
    this.#open.resolve();
  }

  readonly passed = (): Promise<void> => this.#open.promise;

  shut(): void {
    this.#open = Promise.withResolvers<void>();
  }

  lift(): void {
    this.#open.resolve();
  }
}
