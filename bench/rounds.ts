import { Bench, type FnReturnedObject } from "tinybench";
import { collect } from "./heap.ts";

/** How long (ms) one sample takes: far above the timer's own cost, far below a time slice of the system. */
const sampleMs = 1;

/**
 * The best time (ns per call) of each task over rounds in which the tasks take turns, so that a busy moment of
 * the machine hits all of them alike. Each turn begins with a collected heap: nobody pays for what another left.
 * Ratios of these minima are what may be gated.
 * @param tasks synchronous, by name
 */
export async function interleavedMinima<Name extends string>(
  tasks: Readonly<Record<Name, () => unknown>>,
  rounds = 12,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(tasks) as Name[];
  const calls = Object.fromEntries(names.map((name) => [name, callsPerSample(tasks[name])]));
  const best = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<Name, number>;
  for (let round = 0; round < rounds; round++)
    for (const name of names)
      best[name] = Math.min(best[name], await leastOfTurn(name, tasks[name], calls[name] ?? 1));
  return best;
}

/** The least time (ns per call) among the samples of one turn. */
async function leastOfTurn(name: string, task: () => unknown, calls: number): Promise<number> {
  collect();
  const bench = new Bench({ time: 15, iterations: 5, warmup: false });
  bench.add(name, () => timed(bench.now, task, calls));
  const [ran] = await bench.run();
  if (ran === undefined || !("latency" in ran.result)) throw new Error(`${name} did not run to its end`);
  return ran.result.latency.min * 1e6;
}

/** A sample of many calls: the time (ms) of one, and what the sample took of the round. */
function timed(now: () => number, task: () => unknown, calls: number): FnReturnedObject {
  const start = now();
  for (let call = 0; call < calls; call++) task();
  const took = now() - start;
  return { overriddenDuration: took / calls, overriddenIterationCost: took };
}

/** How many calls fill a sample, found after the task is warm. */
function callsPerSample(task: () => unknown): number {
  let calls = 1;
  for (;;) {
    const start = performance.now();
    for (let call = 0; call < calls; call++) task();
    const took = performance.now() - start;
    if (took >= sampleMs) return Math.max(1, Math.round((calls * sampleMs) / took));
    calls *= 2;
  }
}

/** The value below which a share (0 to 1) of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
