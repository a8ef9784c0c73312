// The thread that reads the past. It opens the log for reading only, answers one question after the other, and
// may be ended at any time.
import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Refused } from "@ledge/api";
import { logFolder } from "@ledge/host/folder";
import { keysFile, PersonalKeys } from "@ledge/host/personal/keys";
import { personalFields } from "@ledge/host/personal/sealing";
import { sealingOf } from "@ledge/host/sealed-fields";
import { HistoryError } from "@ledge/history";
import { EvolveError } from "@ledge/kernel";
import { LogError, openLmdbLog, type Sealing } from "@ledge/log";
import { declared, upcasters } from "@ledge/model";
import { LogReader } from "./log-reader.ts";
import { historyDamaged, type Question, type ThreadData, type ThreadMessage } from "./messages.ts";
import { BudgetSpent, HistoryPruned } from "./reader.ts";
import { carryOut } from "./tasks/index.ts";

const { folder, hubId, version, givenUp } = workerData as ThreadData;

/** Opens personal fields with the current keys. Secrets stay sealed, because no answer shows them. */
class PastSealing implements Sealing {
  #stamp = "";
  #keys = this.#read();

  #read(): Sealing {
    return sealingOf(personalFields(new PersonalKeys(folder), declared));
  }

  /** Reloads keys that are new or were destroyed. @returns whether there are any */
  renew(): boolean {
    const { mtimeMs, size, ino } = statSync(keysFile(folder), { throwIfNoEntry: false }) ?? {};
    const stamp = `${mtimeMs} ${size} ${ino}`;
    if (stamp === this.#stamp) return false;
    this.#stamp = stamp;
    this.#keys = this.#read();
    return true;
  }

  seal: Sealing["seal"] = (events) => this.#keys.seal(events);
  open: Sealing["open"] = (events) => this.#keys.open(events);
  sealRow: Sealing["sealRow"] = (row) => this.#keys.sealRow(row);
  openRow: Sealing["openRow"] = (row) => this.#keys.openRow(row);
}

const sealing = new PastSealing();
let asked = 0;
let reader: LogReader | undefined;

function tell(message: ThreadMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

async function openReader(): Promise<LogReader> {
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, readOnly: true });
  const isGivenUp = (): boolean => Atomics.load(givenUp, 0) === asked;
  return new LogReader({ log, hubId, version, monotonic: () => performance.now(), isGivenUp });
}

async function answer({ number, task, args, asker, budgetMs, historyFolder }: Question): Promise<void> {
  asked = number;
  try {
    if (sealing.renew()) reader?.forget();
    reader ??= await openReader();
    reader.begin(budgetMs, historyFolder);
    const found = await carryOut(task, reader, args, asker);
    if (found instanceof Refused) refuse(number, found);
    else answered(number, found instanceof Uint8Array ? found : Buffer.from(JSON.stringify(found)));
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) tell({ type: "failed", number, error: error as Error });
    else refuse(number, refused);
  } finally {
    reader?.end();
  }
}

/** Copies a part of a larger buffer, because only whole buffers can be transferred. */
function answered(number: number, found: Uint8Array): void {
  const bytes = new Uint8Array(found);
  tell({ type: "answered", number, bytes }, [bytes.buffer]);
}

function refuse(number: number, { status, message, problems, retryAfterS, more }: Refused): void {
  tell({ type: "refused", number, status, message, problems, retryAfterS, more });
}

function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof HistoryPruned) {
    const { oldest, message } = error;
    return new Refused(404, message, [{ field: "at", message }], undefined, {
      code: "HISTORY_PRUNED",
      oldest,
    });
  }
  if (error instanceof BudgetSpent)
    return new Refused(503, `${error.message}: ask again, or for less`, [], 1);
  if (error instanceof HistoryError)
    return new Refused(503, "the history index is damaged, and is made anew", [], 60, {
      code: historyDamaged,
    });
  if (error instanceof LogError) return new Refused(503, `the log cannot be read: ${error.message}`);
  // The hub is in safe mode then, and the state before the event is readable.
  if (error instanceof EvolveError)
    return new Refused(503, `the log cannot be read up to there: ${error.message}`);
  return undefined;
}

parentPort?.on("message", (question: Question) => void answer(question));
tell({ type: "up" });
