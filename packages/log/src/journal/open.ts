import { findEnd } from "../tail.ts";
import type { Destination } from "./destination.ts";
import { closeJournal, openJournal } from "./file.ts";
import { continuation, framesOf } from "./recovery.ts";
import { type Found, JournaledStore, type JournalOptions } from "./store.ts";

/**
 * Puts a journal in front of a log, and moves what an earlier one holds. On a full disk it holds that in memory,
 * and takes nothing until there is room.
 * @param log closed with the store, or when this fails
 * @throws LogError `damaged` when the log's end cannot be found, `failed` when the journal cannot be used; the
 *   error of `node:fs` when it cannot be read
 */
export async function openJournaled(log: Destination, options: JournalOptions): Promise<JournaledStore> {
  let found: Found;
  try {
    found = find(log, options);
  } catch (error) {
    await log.close();
    throw error;
  }
  const store = new JournaledStore(log, found, options);
  try {
    await store.begin();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function find(log: Destination, { folder, direct = true }: JournalOptions): Found {
  const { tail, recovery: cutOff, cut } = findEnd(log);
  if (cut !== undefined) log.cut(cut.block, cut.keep);
  const file = openJournal(folder, { readOnly: false, direct });
  if (file === undefined) return { file, blocks: [], recovery: cutOff, isSetAside: false };
  try {
    const epoch = log.epoch();
    const { blocks, end, recovery } = continuation(framesOf(file, epoch), tail);
    // Without an epoch the log is not the one that the journal was written for.
    const isSetAside = recovery !== undefined || epoch === undefined;
    const lost = recovery ?? (cutOff && { ...cutOff, timestamp: end.timestamp });
    return { file, blocks, recovery: lost, isSetAside };
  } catch (error) {
    closeJournal(file);
    throw error;
  }
}
