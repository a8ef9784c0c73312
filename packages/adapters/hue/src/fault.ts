import { AdapterError } from "@ledge/port";
import { BridgeFault } from "./http.ts";

/** The bridge does not know the hub's key any more. */
export class UnknownKey extends BridgeFault {}

/** The bridge has refused a request, and says why. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly isBusy: boolean;

  constructor(reason: string, isBusy = false) {
    super(reason);
    this.isBusy = isBusy;
  }
}

/** Returns the error of a command. @param signal of who waits; `stopped` of the adapter */
export function adapterFault(error: unknown, signal: AbortSignal, stopped: AbortSignal): AdapterError {
  if (error instanceof AdapterError) return error;
  const options = { cause: error };
  if (stopped.aborted) return new AdapterError("stopped", "the adapter has stopped", options);
  if (signal.aborted) return new AdapterError("cancelled", "nobody waits", options);
  const { message } = error as Error;
  if (error instanceof Refusal) return new AdapterError(error.isBusy ? "busy" : "refused", message, options);
  if (error instanceof BridgeFault) return new AdapterError("unreachable", message, options);
  throw error;
}
