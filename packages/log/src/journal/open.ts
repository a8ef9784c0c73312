import { LogError } from "../event-log.ts";
import { findEnd } from "../tail.ts";
import type { Destination } from "./destination.ts";
import { closeJournal, openJournal } from "./file.ts";
import { continuation, framesOf, journalProblem, lostBehind } from "./recovery.ts";
import { type Found, JournaledStore, type JournalOptions } from "./store.ts";

/**
 * Puts a journal in front of a log, and moves what an earlier journal holds. On a full disk it keeps these blocks
 * in memory, and takes no writes until there is room.
 * @param log closed with the store, or when this fails
 * @throws LogError `damaged` when the log's end cannot be found, when the journal that it awaits is missing, or
 *   when the journal continues after a gap; `failed` when the journal cannot be used; the error of `node:fs` when
 *   it cannot be read
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

/** Reads before anything is changed, so that refused files stay as they are. */
function find(log: Destination, { folder, direct = true }: JournalOptions): Found {
  const { tail, recovery, cut } = findEnd(log);
  const file = openJournal(folder, { readOnly: false, direct });
  try {
    const epoch = log.epoch();
    const expected = { epoch, isAwaited: log.awaitsJournal(), sequence: tail.sequence };
    const problem = journalProblem(file, expected);
    if (problem !== undefined) throw new LogError("damaged", lostBehind(tail.timestamp, problem));
    const { blocks, end, gap } = continuation(file === undefined ? [] : framesOf(file, epoch), tail);
    if (gap !== undefined)
      throw new LogError("damaged", `the journal is damaged behind ${end.timestamp}: ${gap.problem}`);
    if (cut !== undefined && recovery !== undefined)
      log.cut(cut.block, cut.keep, { ...recovery, timestamp: end.timestamp });
    // A log without an epoch is not the one that the journal was written for.
    const isSetAside = file !== undefined && epoch === undefined;
    return { file, blocks, isSetAside };
  } catch (error) {
    if (file !== undefined) closeJournal(file);
    throw error;
  }
}
