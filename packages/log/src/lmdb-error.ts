import { setImmediate } from "node:timers/promises";
import { LogError } from "./event-log.ts";

/** `MDB_PANIC` of lmdb.h. */
const mdbPanic = -30_795;

/**
 * Returns the outcome of a put. Throws LMDB's own error instead of lmdb's "Commit failed (see commitError for
 * details)". The promise `commitError` needs a handler at once, or its rejection ends the process.
 */
export async function settled<T>(put: Promise<T>): Promise<T> {
  try {
    return await put;
  } catch (error) {
    const commitError = error instanceof Error && "commitError" in error ? error.commitError : undefined;
    if (!(commitError instanceof Promise)) throw error;
    // lmdb leaves `commitError` pending for some codes. When it rejects, it does so within this turn.
    throw await Promise.race([commitError.catch((cause: unknown) => cause), setImmediate(error)]);
  }
}

/** Returns the outcome of `action`, or throws a LogError that says what failed. */
export function attempt<T>(code: "damaged" | "failed", message: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asLogError(code, message, error);
  }
}

/** Wraps an error in a `LogError`. Returns a `LogError` unchanged. */
export function asLogError(code: "damaged" | "failed", message: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  // After a failed write of a meta page LMDB also refuses reads, although the stored data is whole.
  const isPanic = error instanceof Error && "code" in error && error.code === mdbPanic;
  return new LogError(isPanic ? "failed" : code, `${message}: ${reason}`, { cause: error });
}
