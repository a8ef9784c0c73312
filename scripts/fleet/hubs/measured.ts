import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of a second in /proc (proc(5)): 100 on every Linux of today. */
const ticksPerSecond = 100;

/** Returns the processor time (ms) that a process and its children have taken so far, those that have ended included. */
export function cpuMsOf(pid: number): number {
  const all = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    if (stat !== undefined) all.set(Number(name), stat);
  }
  let ticks = 0;
  for (const [one, stat] of all) if (one === pid || stat.parent === pid) ticks += stat.ticks;
  return (ticks * 1000) / ticksPerSecond;
}

function statOf(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    // The name of the program, in parentheses, may have spaces.
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, ofEndedUser = 0, ofEndedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system + ofEndedUser + ofEndedSystem };
  } catch {
    return undefined;
  }
}

/** Returns how long (ms) some processes have run on a processor so far; finer than `cpuMsOf`, without their children. */
export function runMsOf(pids: readonly number[]): number {
  const times = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** Returns a quantile of numbers, undefined of none. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export const round = (value: number, digits = 0): number => Number(value.toFixed(digits));
