// Rows about the hub itself.
import type { HubHealth } from "@ledge/model";
import { type Answer, call } from "./call.ts";

/** How the hub fares, with its troubles in the reader's language. */
export function health(signal: AbortSignal): Promise<Answer<HubHealth>> {
  return call("/hub/health", { signal });
}

/** What the hub's program has logged, as lines of text, the newest last. Only on the network of the home. */
export function processLog(signal: AbortSignal): Promise<Answer<string>> {
  return call("/log", { signal, isText: true });
}

/** Locks the settings of every device. */
export function lockAll(): Promise<Answer<true>> {
  return call("/hub/lockconfig", { method: "POST" });
}
