// The figures of a load run.

/** Latencies of one kind of request (ms). */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** How many problems are kept in words. */
const problemsMax = 10;

/** Counts requests and their latency by kind, and keeps what went wrong. */
export class Tally {
  readonly #ms = new Map<string, number[]>();
  readonly problems: string[] = [];
  errors = 0;

  /** Runs one request, which resolves with its latency (ms). Counts an exception as an error. */
  async take(kind: string, run: () => Promise<number>): Promise<void> {
    try {
      const ms = await run();
      const all = this.#ms.get(kind);
      if (all === undefined) this.#ms.set(kind, [ms]);
      else all.push(ms);
    } catch (error) {
      this.fail(`${kind}: ${(error as Error).message}`);
    }
  }

  fail(problem: string): void {
    this.errors += 1;
    if (this.problems.length < problemsMax) this.problems.push(problem);
  }

  get requests(): number {
    return [...this.#ms.values()].reduce((sum, { length }) => sum + length, this.errors);
  }

  latencies(): Record<string, Latency> {
    return Object.fromEntries([...this.#ms].map(([kind, all]) => [kind, latencyOf(all)]));
  }
}

/**
 * Computes quantiles.
 * @param all latencies in any order, at least one.
 */
export function latencyOf(all: readonly number[]): Latency {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 100) / 100;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}

/** Returns the growth of values per hour by least squares, or 0 for fewer than two. Times are in ms. */
export function slopePerHour(samples: readonly (readonly [atMs: number, value: number])[]): number {
  const { length } = samples;
  const meanAt = samples.reduce((sum, [at]) => sum + at, 0) / length;
  const meanValue = samples.reduce((sum, [, value]) => sum + value, 0) / length;
  let both = 0;
  let spread = 0;
  for (const [at, value] of samples) {
    both += (at - meanAt) * (value - meanValue);
    spread += (at - meanAt) ** 2;
  }
  return spread === 0 ? 0 : (both / spread) * 3_600_000;
}

/** Returns a figure of `/metrics`: the sum over all samples of that name whose labels contain `label`. */
export function figureIn(metrics: string, name: string, label = ""): number {
  let sum = 0;
  for (const line of metrics.split("\n")) {
    const [, found, labels = "", value] = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line) ?? [];
    if (found === name && labels.includes(label)) sum += Number(value);
  }
  return sum;
}
