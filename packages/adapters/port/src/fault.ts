import type { AdapterLog } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";

/**
 * Returns an AdapterError as it is. Any other error is a bug: logs it with its stack and returns `refused`.
 */
export function asAdapterError(error: unknown, during: string, log: AdapterLog): AdapterError {
  if (error instanceof AdapterError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  log("error", `the adapter failed during ${during}: ${message}`, stack === undefined ? {} : { stack });
  return new AdapterError("refused", message, { cause: error });
}
