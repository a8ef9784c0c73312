import { limits, shownIn, twinOf } from "@ledge/model";
import type { NativeId } from "@ledge/port";
import type { Part } from "./frame.ts";
import { targets } from "./frame.ts";
import { isBetween, isLike, movingMs } from "./likeness.ts";

/**
 * A reported attribute that a command explains. `confirmed`: the commanded value. `passing`: a value on its
 * way there. `stale`: the previous value, reported within a second after the command; the hub may ignore it.
 */
export interface Match {
  readonly attribute: string;
  /** The command's id, and the attribute of the command that explains the reported one. */
  readonly id: string;
  readonly commanded: string;
  readonly as: "confirmed" | "passing" | "stale";
}

interface Expectation {
  readonly id: string;
  readonly value: unknown;
  readonly before: unknown;
  /** The device has confirmed the value: a report of the previous value is real from now on. */
  readonly arrived: boolean;
  readonly sentAt: number;
  readonly movingUntil: number;
  readonly until: number;
}

/** The reports that sent commands should cause. */
export class Expectations {
  readonly #byNative = new Map<NativeId, Map<string, Expectation>>();
  readonly #echoMs: number;

  /** @param echoMs how long after its command (and transition) a report still counts as its echo. */
  constructor(echoMs: number) {
    this.#echoMs = echoMs;
  }

  /** Records a part that was just sent. */
  expect(native: NativeId, part: Part, transitionMsec: unknown, now: number): void {
    const expected = this.#byNative.get(native) ?? new Map<string, Expectation>();
    this.#byNative.set(native, expected);
    for (const name of targets(part)) {
      const moving = movingMs(name, transitionMsec);
      const movingUntil = now + (moving === undefined ? 0 : moving + limits.staleReportMs);
      const earlier = expected.get(name);
      expected.set(name, {
        id: part.id,
        value: part.attributes[name],
        before: shownIn(part.before, name),
        // A frame sent again for its other attributes keeps what was already confirmed.
        arrived: earlier?.id === part.id && earlier.arrived,
        sentAt: now,
        movingUntil,
        until: movingUntil + this.#echoMs,
      });
    }
  }

  /** Explains a report and marks the values that it confirms as arrived. */
  match(native: NativeId, attributes: Readonly<Record<string, unknown>>, now: number): Match[] {
    const expected = this.#byNative.get(native);
    const matches: Match[] = [];
    if (!expected) return matches;
    for (const [attribute, reported] of Object.entries(attributes)) {
      const found = find(expected, attribute, reported);
      if (!found || now > found.expectation.until) continue;
      const as = judge(found.name, found.value, found.expectation, now);
      if (as === "confirmed") expected.set(found.name, { ...found.expectation, arrived: true });
      if (as) matches.push({ attribute, id: found.expectation.id, commanded: found.name, as });
    }
    return matches;
  }

  /** Drops expectations that are too old to match. */
  prune(now: number): void {
    for (const [native, expected] of this.#byNative) {
      for (const [name, { until }] of expected) if (now > until) expected.delete(name);
      if (expected.size === 0) this.#byNative.delete(native);
    }
  }

  forget(native: NativeId): void {
    this.#byNative.delete(native);
  }
}

/** Finds the expectation for an attribute. Some devices report a value under another name and unit. */
function find(
  expected: ReadonlyMap<string, Expectation>,
  reported: string,
  value: unknown,
): { readonly name: string; readonly value: unknown; readonly expectation: Expectation } | undefined {
  const direct = expected.get(reported);
  if (direct) return { name: reported, value, expectation: direct };
  const twin = twinOf(reported);
  const expectation = twin && expected.get(twin.name);
  if (!expectation || typeof value !== "number") return undefined;
  return { name: twin.name, value: twin.convert(value), expectation };
}

function judge(name: string, value: unknown, expected: Expectation, now: number): Match["as"] | undefined {
  if (isLike(name, value, expected.value)) return "confirmed";
  const isOld = expected.before !== undefined && isLike(name, value, expected.before);
  // After the echo the previous value is real: somebody may have switched back at once.
  if (isOld && expected.arrived) return undefined;
  if (isOld && now < expected.sentAt + limits.staleReportMs) return "stale";
  if (now < expected.movingUntil && isBetween(name, value, expected.before, expected.value)) return "passing";
  return undefined;
}
