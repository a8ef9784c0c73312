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

/** NOTIFICATION: an alarm or an alert that is open. */
export interface Notification {
  readonly category: "alarm" | "alert";
  readonly id: string;
  /** When it was last raised (ms since the epoch). */
  readonly raisedAt: number;
  /** Those that it concerns and that have not shown it. */
  readonly clients: readonly { readonly user: string; readonly uuid: string }[];
}

/** What is open, the newest first. */
export function notifications(signal: AbortSignal): Promise<Answer<readonly Notification[]>> {
  return call("/notifications", { signal });
}

/** Locks the settings of every device. */
export function lockAll(): Promise<Answer<true>> {
  return call("/hub/lockconfig", { method: "POST" });
}
