// Loaded before every test: makes a failing property print its seed and path within a minute. fast-check itself shrinks
// without a time limit and waits forever for a run that hangs.
import fc, { type Plugin, type PropertyFailure } from "fast-check";

/** Time limits for one run, and for shrinking after the first failure (ms). */
export const patience = { runMs: 30_000, shrinkMs: 20_000 };

/** Tests may replace the global ones. */
const { setTimeout, clearTimeout } = globalThis;

let runs = 0;

/** Returns how often properties have run in this process. */
export function propertyRuns(): number {
  return runs;
}

/** Fails a run that takes longer than `runMs`, and stops shrinking after `shrinkMs`. */
export function impatient({ runMs, shrinkMs }: typeof patience): Plugin<unknown> {
  return () => {
    let failedAt: number | undefined;
    const noted = <T extends PropertyFailure | fc.PreconditionFailure | null>(outcome: T): T => {
      if (outcome !== null && !fc.PreconditionFailure.isFailure(outcome)) failedAt ??= performance.now();
      return outcome;
    };
    return {
      decorateRun: (run) => (value) => {
        runs += 1;
        const left = failedAt === undefined ? runMs : failedAt + shrinkMs - performance.now();
        if (left <= 0) return new fc.PreconditionFailure(true);
        const outcome = run(value);
        return outcome instanceof Promise ? within(left, outcome).then(noted) : noted(outcome);
      },
    };
  };
}

/** Resolves with the outcome, or with a failure after `ms`. */
async function within<T>(ms: number, outcome: Promise<T>): Promise<T | PropertyFailure> {
  const late = Promise.withResolvers<PropertyFailure>();
  const timer = setTimeout(
    () => late.resolve({ error: new Error(`the run did not end within ${ms} ms`) }),
    ms,
  );
  try {
    return await Promise.race([outcome, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

fc.installGlobalPlugin(impatient(patience));
