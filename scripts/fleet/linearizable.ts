/** A call about one register, as its client saw it. Values of writes to one register are all different. */
export interface Call {
  readonly register: string;
  readonly kind: "write" | "read";
  /** What was written or read; null for a register that nobody has written. */
  readonly value: string | null;
  readonly begun: number;
  /** When the answer came; Infinity when none did: then the write may count at any time since, or never. */
  readonly ended: number;
}

/**
 * Returns the registers whose calls no order explains in which each takes effect at one moment between its begin and its
 * end. Registers are independent of each other, so each is searched alone (Wing and Gong, "Testing and Verifying
 * Concurrent Objects", 1993; sets of done calls that led nowhere are not searched again, after Lowe 2017).
 */
export function notLinearizable(calls: readonly Call[]): readonly string[] {
  const byRegister = Map.groupBy(calls, ({ register }) => register);
  return [...byRegister].flatMap(([register, own]) => (isExplained(own) ? [] : [register]));
}

interface Step {
  readonly done: bigint;
  readonly value: string | null;
  /** Calls that are done and known to have ended. */
  readonly count: number;
}

function isExplained(given: readonly Call[]): boolean {
  // A read without an answer says nothing.
  const calls = given
    .filter(({ kind, ended }) => kind === "write" || ended !== Infinity)
    .toSorted((one, other) => one.begun - other.begun);
  const known = calls.filter(({ ended }) => ended !== Infinity).length;
  const seen = new Set<string>();
  const open: Step[] = [{ done: 0n, value: null, count: 0 }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step.count === known) return true;
    const key = `${step.done} ${step.value}`;
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...nextSteps(calls, step));
  }
  return false;
}

/** Returns what may take effect next: whatever began before the first call that is not done ended. */
function nextSteps(calls: readonly Call[], { done, value, count }: Step): Step[] {
  const steps: Step[] = [];
  let firstEnd = Infinity;
  for (const [at, call] of calls.entries()) {
    if ((done >> BigInt(at)) & 1n) continue;
    if (call.begun > firstEnd) break;
    firstEnd = Math.min(firstEnd, call.ended);
  }
  for (const [at, call] of calls.entries()) {
    if (call.begun > firstEnd) break;
    if ((done >> BigInt(at)) & 1n || (call.kind === "read" && call.value !== value)) continue;
    const counts = call.ended === Infinity ? count : count + 1;
    steps.push({
      done: done | (1n << BigInt(at)),
      value: call.kind === "write" ? call.value : value,
      count: counts,
    });
  }
  return steps;
}
