import { cronValues } from "@ledge/model";
import { Cron } from "croner";
import type { Zone } from "./zone.ts";

const minuteMs = 60_000;

/**
 * The instants of a cron with five fields. They are matched in local time, without a zone. When the clocks
 * change, a skipped time moves forward by the change, and a repeated time is its first occurrence, like
 * Temporal's `compatible`.
 */
export class CronTimes {
  readonly #cron: Cron;

  constructor(text: string) {
    this.#cron = new Cron(withoutSteps(text), { mode: "5-part", utcOffset: 0 });
  }

  /** Returns the first instant after `at`; null when there is none. */
  after(at: number, zone: Zone): number | null {
    let behind = at;
    for (;;) {
      const span = zone.spanAt(behind + 1);
      const { skipped, repeated } = changeInto(span, zone);
      const regular = this.#matchAfter(Math.max(behind, span.from + repeated - 1) + span.offset);
      const late = behind < span.from + skipped ? this.#matchAfter(behind + span.offset - skipped) : null;
      if (regular === null) return null;
      const first = regular - span.offset;
      const moved = late === null ? Number.POSITIVE_INFINITY : late - span.offset + skipped;
      const next = moved < span.from + skipped ? Math.min(first, moved) : first;
      if (next < span.to) return next;
      behind = span.to - 1;
    }
  }

  /** Returns the newest instant at or before `at`; null when there is none. */
  upTo(at: number, zone: Zone): number | null {
    let until = at;
    for (;;) {
      const span = zone.spanAt(until);
      const { skipped, repeated } = changeInto(span, zone);
      const regular = this.#matchUpTo(until + span.offset);
      if (regular === null) return null;
      const newest = regular - span.offset;
      const lateUntil = Math.min(until, span.from + skipped - 1);
      const late = skipped > 0 ? this.#matchUpTo(lateUntil + span.offset - skipped) : null;
      const moved = late === null ? Number.NEGATIVE_INFINITY : late - span.offset + skipped;
      const before = Math.max(newest >= span.from + repeated ? newest : moved, moved);
      if (before >= span.from) return before;
      until = span.from - 1;
    }
  }

  /** Returns the next match in local time. */
  #matchAfter(local: number): number | null {
    const minute = Math.floor(local / minuteMs) * minuteMs;
    return this.#cron.nextRun(new Date(minute))?.getTime() ?? null;
  }

  #matchUpTo(local: number): number | null {
    const minute = Math.floor(local / minuteMs) * minuteMs;
    return this.#cron.previousRuns(1, new Date(minute + minuteMs))[0]?.getTime() ?? null;
  }
}

/** Returns how much local time (ms) the change of the clocks at the start of a span skips or repeats. */
function changeInto(
  { from, offset }: { from: number; offset: number },
  zone: Zone,
): { skipped: number; repeated: number } {
  if (from === Number.NEGATIVE_INFINITY) return { skipped: 0, repeated: 0 };
  const change = offset - zone.spanAt(from - 1).offset;
  return { skipped: Math.max(change, 0), repeated: Math.max(-change, 0) };
}

/** The library refuses a step longer than its field; such a step is replaced by the values that it selects. */
function withoutSteps(text: string): string {
  const fields = text.trim().split(/\s+/);
  return fields
    .map((field, index) => (field.includes("/") ? (cronValues(field, index) ?? []).join(",") : field))
    .join(" ");
}
