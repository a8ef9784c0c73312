import type { Fault } from "./fault.ts";
import type { Request } from "./request.ts";

/** What became of the requests to one address, since the adapter started. */
interface UnitCounts {
  requests: number;
  answers: number;
  /** Refusals are answers, too. */
  exceptions: number;
  timeouts: number;
  garbled: number;
  /** Registers and bits that were read. */
  read: number;
  /** When it last answered (ms since the epoch); null: never. */
  lastAnswerAt: number | null;
}

/** Counts what happens on a line. */
export class LineStatistics {
  readonly #units = new Map<number, UnitCounts>();
  #busyMs = 0;

  /** Records an exchange and how long the line was taken by it. */
  record(unit: number, request: Request, outcome: Fault | undefined, now: number, ms: number): void {
    const counts = this.#units.get(unit) ?? noCounts();
    this.#units.set(unit, counts);
    this.#busyMs += Math.max(0, ms);
    counts.requests += 1;
    if (outcome === undefined || outcome.kind === "exception") {
      counts.answers += 1;
      counts.lastAnswerAt = now;
      if (outcome !== undefined) counts.exceptions += 1;
      else if (request.kind === "read") counts.read += request.count;
    } else if (outcome.kind === "timeout") counts.timeouts += 1;
    else if (outcome.kind === "garbled") counts.garbled += 1;
  }

  /** Returns the counts of the line, and of each address. */
  shown(): { readonly busyMs: number; readonly units: readonly object[]; readonly [count: string]: unknown } {
    const units = [...this.#units].toSorted(([a], [b]) => a - b);
    const sum = (field: "requests" | "answers" | "exceptions" | "timeouts" | "garbled" | "read"): number =>
      units.reduce((all, [, counts]) => all + counts[field], 0);
    return {
      busyMs: this.#busyMs,
      requests: sum("requests"),
      answers: sum("answers"),
      exceptions: sum("exceptions"),
      timeouts: sum("timeouts"),
      garbled: sum("garbled"),
      read: sum("read"),
      units: units.map(([address, counts]) => ({ address, ...counts })),
    };
  }
}

function noCounts(): UnitCounts {
  return { requests: 0, answers: 0, exceptions: 0, timeouts: 0, garbled: 0, read: 0, lastAnswerAt: null };
}
