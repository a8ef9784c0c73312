import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { EventLog } from "@ledge/log";
import type { AnyDecider } from "@ledge/model";
import { limits } from "@ledge/model";
import { removeIndex } from "./environment.ts";
import { HistoryError } from "./error.ts";
import { HistoryIndex, openHistoryIndex } from "./history-index.ts";
import { IndexWriter } from "./index-writer.ts";
import { isMarkOf } from "./mark.ts";

export interface IndexOptions {
  /** The log, open for reading with sealed fields left sealed. */
  readonly log: Pick<EventLog, "last" | "horizon" | "readSealed">;
  readonly folder: string;
  readonly aggregates: readonly AnyDecider[];
  /** How many bytes of the disk the index may take. */
  readonly quotaBytes: number;
  /** Returns the free bytes of its disk. */
  readonly free: () => number;
  /** Whether to read the whole index before trusting it; done once after each start. */
  readonly verify: boolean;
  readonly onRebuild: (problem: string) => void;
  /** Samples per transaction; by default `limits.historyBatchSamples`. */
  readonly batchSamples?: number;
  /** Called after each transaction. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  /** The timestamp (ms) up to which the log is indexed. */
  readonly mark: number;
  readonly usedBytes: number;
  readonly prunedTo: number;
}

/**
 * Brings an index up to the end of its log, and removes from it what the log has pruned. Deletes and rebuilds an
 * index that is damaged or belongs to another log or release.
 * @throws HistoryError `full` when there is no room; what was indexed stays. Also what the log throws.
 */
export async function indexLog(options: IndexOptions): Promise<Progress> {
  try {
    return await indexOnce(options);
  } catch (error) {
    if (!(error instanceof HistoryError) || error.code !== "damaged") throw error;
    options.onRebuild(error.message);
    removeIndex(options.folder);
    return indexOnce({ ...options, verify: false });
  }
}

async function indexOnce(options: IndexOptions): Promise<Progress> {
  const { log, folder, aggregates, batchSamples = limits.historyBatchSamples } = options;
  if (options.verify && existsSync(join(folder, "data.mdb"))) await refuseDamaged(folder);
  refuseWithoutRoom(options, 0, 0);
  const writer = openWriter(folder, aggregates);
  try {
    if (!isMarkOf(log, writer.mark)) throw new HistoryError("damaged", "the index is of another log");
    writer.prune(log.horizon);
    for (const commit of log.readSealed(writer.mark.timestamp)) {
      writer.add(commit);
      if (writer.pendingSamples < batchSamples) continue;
      write(writer, options);
      // The caller may have ended the process meanwhile.
      await setImmediate();
    }
    write(writer, options);
    return progressOf(writer);
  } finally {
    await writer.close();
  }
}

function openWriter(folder: string, aggregates: readonly AnyDecider[]): IndexWriter {
  try {
    return new IndexWriter(folder, aggregates);
  } catch (cause) {
    if (cause instanceof HistoryError) throw cause;
    throw new HistoryError("damaged", `the index in ${folder} cannot be opened`, { cause });
  }
}

async function refuseDamaged(folder: string): Promise<void> {
  const index: HistoryIndex = openHistoryIndex(folder);
  const problem = index.verify();
  await index.close();
  if (problem !== undefined) throw new HistoryError("damaged", problem);
}

function write(writer: IndexWriter, options: IndexOptions): void {
  refuseWithoutRoom(options, writer.pendingBytes, writer.spareBytes);
  writer.flush();
  const fits = writer.pruneToQuota(options.quotaBytes);
  options.onProgress(progressOf(writer));
  if (!fits) throw new HistoryError("full", "the index cannot be kept within its share of the disk");
}

function progressOf(writer: IndexWriter): Progress {
  const { mark, usedBytes, prunedTo } = writer;
  return { mark: mark.timestamp, usedBytes, prunedTo };
}

/**
 * Refuses to write without room, because lmdb writes beyond a buffer when a write fails, and because the hub's
 * own reserve must stay free.
 */
function refuseWithoutRoom({ free }: IndexOptions, bytes: number, spare: number): void {
  const left = free() - limits.reserveAgainBytes;
  if (left + Math.min(spare, bytes) < bytes || left < 0)
    throw new HistoryError("full", "there is no room on the disk to index more");
}
