import type { Upcasters } from "@ledge/model";
import type { BlockStore } from "./block.ts";
import { BlockLog } from "./block-log.ts";
import { hasJournal, removeJournal } from "./journal/file.ts";
import { openJournaled } from "./journal/open.ts";
import { JournalReader } from "./journal/reader.ts";
import { asLogError } from "./lmdb-error.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";
import type { Sealing } from "./sealing.ts";

/**
 * Opens the durable log in a folder, `data.mdb`, `lock.mdb` and `journal`, and creates them if they are not there
 * (0700). Between processes the caller sees to it that only one writes; any number may read. On a full disk it
 * opens too, and refuses appends until there is room.
 * @param options `journal: false` commits to LMDB directly; what an earlier journal holds is moved first.
 *   Whoever puts another `data.mdb` in place removes `journal` with the old one.
 * @throws LogError `locked` when the log is open already in this thread, `damaged` when the file is none of
 *   LMDB's or its end is unreadable beyond the newest block, `failed` when it cannot be opened or, for reading
 *   only, is not there
 */
export async function openLmdbLog(options: {
  readonly folder: string;
  readonly upcasters?: Upcasters;
  readonly sealing?: Sealing;
  readonly readOnly?: boolean;
  readonly journal?: boolean;
}): Promise<BlockLog> {
  const { upcasters, sealing } = options;
  const store = await openStore(options);
  try {
    return new BlockLog(store, upcasters, sealing);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openStore(options: {
  readonly folder: string;
  readonly readOnly?: boolean;
  readonly journal?: boolean;
}): Promise<BlockStore> {
  const { folder, readOnly = false, journal = true } = options;
  try {
    if (readOnly) return await openReader(await openLmdbStore(folder, true), folder);
    if (journal) return await openJournaled(await openLmdbStore(folder, false), { folder });
    if (hasJournal(folder)) await moveJournal(folder);
    return await openLmdbStore(folder, false);
  } catch (error) {
    throw asLogError("failed", `the log in ${folder} cannot be opened`, error);
  }
}

async function openReader(log: LmdbStore, folder: string): Promise<JournalReader> {
  try {
    return new JournalReader(log, folder);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Leaves a log without a journal. */
async function moveJournal(folder: string): Promise<void> {
  const store = await openJournaled(await openLmdbStore(folder, false), { folder });
  await store.close();
  if (store.failure !== undefined) throw store.failure;
  removeJournal(folder);
}
