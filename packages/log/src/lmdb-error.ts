import { setImmediate } from "node:timers/promises";
import { LogError } from "./event-log.ts";

/** `MDB_PANIC` of lmdb.h. */
const mdbPanic = -30_795;

/**
 * The outcome of a put, or LMDB's own error instead of lmdb's "Commit failed (see commitError for details)".
 * That promise has to be handled at once, or its rejection ends the process.
 */
export async function settled<T>(put: Promise<T>): Promise<T> {
  try {
    return await put;
  } catch (error) {
    const commitError = error instanceof Error && "commitError" in error ? error.commitError : undefined;
    if (!(commitError instanceof Promise)) throw error;
    // lmdb leaves it pending for some codes; what it has to say it says within the turn.
    throw await Promise.race([commitError.catch((cause: unknown) => cause), setImmediate(error)]);
  }
}

/** The outcome of `action`, or a LogError that says what could not be done. */
export function attempt<T>(code: "damaged" | "failed", message: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asLogError(code, message, error);
  }
}

/** An error as one of the log's; what is one already stays as it is. */
export function asLogError(code: "damaged" | "failed", message: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  // After a failed write of a meta page LMDB refuses to read too; what is stored is whole nevertheless.
  const isPanic = error instanceof Error && "code" in error && error.code === mdbPanic;
  return new LogError(isPanic ? "failed" : code, `${message}: ${reason}`, { cause: error });
}
