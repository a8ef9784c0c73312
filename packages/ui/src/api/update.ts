// Rows by which the hub's own machine gets another release.
import { type Answer, call } from "./call.ts";

/** HUB_UPDATE: how far the hub's own update is. */
export interface HubUpdate {
  readonly release: string;
  /** False: this machine's package or image is updated from outside. Older hubs do not say. */
  readonly updatesItself?: boolean;
  readonly phase: "IDLE" | "FETCHING" | "CHECKING" | "INSTALLING" | "INSTALLED" | "TRIAL" | "RETURNING";
  /** The release that is being installed or tried, or that comes back. */
  readonly version: string | null;
  readonly pctComplete: number | null;
  /** A newer release, as of the last check. */
  readonly available: string | null;
  /** How the last update ended, and when (ms since the epoch). */
  readonly outcome: {
    readonly result: "INSTALLED" | "FAILED" | "ROLLED_BACK";
    readonly version: string | null;
    readonly message: string | null;
    readonly at: number;
  } | null;
  /** The release to go back to, and since when (ms since the epoch) all that was recorded would be lost; null: nothing. */
  readonly previous: { readonly version: string; readonly losesSince: number | null } | null;
}

export function hubUpdate(signal: AbortSignal): Promise<Answer<HubUpdate>> {
  return call("/hub/update", { signal });
}

/** How long the hub may take to read the feed of releases. */
const feedMs = 60_000;

/** Looks for a newer release, installs it, or goes back to the previous one; the last two reboot the machine. */
export function orderUpdate(action: "CHECK" | "INSTALL" | "ROLL_BACK"): Promise<Answer<HubUpdate>> {
  return call("/hub/update", { method: "POST", body: { action }, timeoutMs: feedMs });
}
