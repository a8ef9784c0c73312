import type { AdapterLog } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";

/** Adapters raise only AdapterError; anything else is logged with its stack and passes for a refusal. */
export function asAdapterError(error: unknown, during: string, log: AdapterLog): AdapterError {
  if (error instanceof AdapterError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  log("error", `the adapter broke during ${during}: ${message}`, stack === undefined ? {} : { stack });
  return new AdapterError("refused", message, { cause: error });
}
