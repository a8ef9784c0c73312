const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Sample {
  readonly at: number;
  readonly total: number;
}

/** Computes how much is written in a day from a rising count. Times in ms of a clock that never steps. */
export class DailyBytes {
  #samples: Sample[] = [];

  note(at: number, total: number): void {
    const newest = this.#samples.at(-1);
    if (newest !== undefined && at - newest.at < hourMs) return;
    this.#samples.push({ at, total });
    // Keep one sample that is at least a day old, so that the samples cover a whole day.
    while ((this.#samples[1]?.at ?? at) <= at - dayMs) this.#samples.shift();
  }

  perDay(at: number, total: number): number {
    const [oldest] = this.#samples;
    if (oldest === undefined || at <= oldest.at) return 0;
    return Math.round(((total - oldest.total) * dayMs) / (at - oldest.at));
  }
}
