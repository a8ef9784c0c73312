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
 * Opens the durable log in a folder: `data.mdb`, `lock.mdb` and `journal`, created when missing (0700). The
 * caller makes sure that only one process writes; any number may read. On a full disk the log opens too, and
 * refuses appends until there is room.
 * @param options `journal: false` commits to LMDB directly, after moving what an earlier journal holds. To
 *   replace `data.mdb` with another file, remove `journal` together with the old one.
 * @throws LogError `locked` when the log is already open in this thread, `damaged` when the file is not an LMDB
 *   file or its end is unreadable beyond the newest block, `failed` when the log cannot be opened or, for reading
 *   only, does not exist
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

/** Moves everything from the journal into the log and removes the journal. */
async function moveJournal(folder: string): Promise<void> {
  const store = await openJournaled(await openLmdbStore(folder, false), { folder });
  await store.close();
  if (store.failure !== undefined) throw store.failure;
  removeJournal(folder);
}
