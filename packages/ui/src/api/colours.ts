// Rows about the colours that people keep for all lamps of the home.
import { type Answer, call, inTurn } from "./call.ts";

const path = "/hub/colors";

/** Colours as #rrggbb, the oldest first. */
export function keptColours(signal: AbortSignal): Promise<Answer<readonly string[]>> {
  return call(path, { signal });
}

export function keepColour(color: string): Promise<Answer<true>> {
  return call(path, { method: "POST", query: { color } });
}

/** Forgets all of them. */
export function forgetColours(): Promise<Answer<true>> {
  return call(path, { method: "DELETE" });
}

/** Keeps several, in their order. @returns the first refusal, if any */
export function keepColours(colours: readonly string[]): Promise<Answer<unknown>> {
  return inTurn(colours, keepColour);
}
