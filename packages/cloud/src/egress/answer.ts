import type { Exchanged } from "@ledge/link/outgoing";
import { ForbiddenAddress, LateAnswer } from "@ledge/link/outgoing";
import { limits } from "@ledge/model";

/**
 * What an answer means:
 * - `taken`: the receiver has the batch
 * - `later`: it takes nothing now
 * - `refused`: it does not want this batch
 * - `gone`: it wants nothing any more
 */
export type Outcome = "taken" | "later" | "refused" | "gone";

export interface Judged {
  readonly outcome: Outcome;
  /** In words, without any secret. */
  readonly reason: string;
  /** For how long the receiver wants to be left alone (ms). */
  readonly restMs: number;
}

/** Timeout, Too Early, Too Many Requests: the same request may succeed later (RFC 9110, 8470, 6585). */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Judges an answer. @param now ms since the epoch */
export function judgeAnswer({ status, headers }: Pick<Exchanged, "status" | "headers">, now: number): Judged {
  const reason = `answered ${status}`;
  if (status >= 200 && status < 300) return { outcome: "taken", reason, restMs: 0 };
  if (status === 410) return { outcome: "gone", reason, restMs: 0 };
  const isPassing = status >= 500 || passing.has(status);
  return {
    outcome: isPassing ? "later" : "refused",
    reason: status >= 300 && status < 400 ? `${reason}, a redirect, which is not followed` : reason,
    restMs: retryAfterMs(headers["retry-after"], now),
  };
}

/** Judges a request without an answer. A text of the network may name addresses: it stays out. */
export function judgeError(error: NodeJS.ErrnoException): Judged {
  const reason =
    error instanceof LateAnswer
      ? "did not answer in time"
      : error instanceof ForbiddenAddress
        ? error.message
        : `could not be reached: ${error.code ?? error.name}`;
  return { outcome: "later", reason, restMs: 0 };
}

/** Returns how long `Retry-After` (RFC 9110, 10.2.3) asks to wait, up to `limits.egressRetryAfterMs`. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), limits.egressRetryAfterMs);
}

/**
 * Returns how long a target rests after a failure (ms).
 * @param failures how many came one after the other, from 1
 * @param random from 0 to below 1: spreads targets that have lost the same receiver
 */
export function backoffMs(failures: number, random: number): number {
  const most = Math.min(limits.egressBackoffMinMs * 2 ** (failures - 1), limits.egressBackoffMaxMs);
  return Math.max(limits.egressBackoffMinMs, most * (1 - random / 2));
}
