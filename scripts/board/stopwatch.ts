import { secondsSince } from "../seconds-since.ts";

/** Seconds of this machine that each piece of work took. */
export class Stopwatch {
  readonly seconds: Record<string, number> = {};

  /** Does a piece of work and notes how long it took, in tenths of a second. */
  async timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await work();
    this.seconds[name] = secondsSince(from);
    return result;
  }
}
