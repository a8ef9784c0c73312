// Compares this checkout with another one on the same machine: both measure in turns, and only ratios count.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Figure, rounded } from "./figure.ts";

const root = join(import.meta.dirname, "..");
const rounds = 3;

/** How much longer than before something may take. The minima of some rounds differ by less than half of that. */
export const slower = 1.25;

/** Figures of times by name; the least of all rounds. */
export type Times = ReadonlyMap<string, number>;

/** One figure of both checkouts. */
export interface Compared {
  readonly name: string;
  /** This checkout's by the other's. */
  readonly ratio: number;
  readonly isWorse: boolean;
}

/** Returns the figures that both have, in the order of this checkout's. */
export function compare(head: Times, base: Times): readonly Compared[] {
  return [...head].flatMap(([name, value]) => {
    const before = base.get(name);
    if (before === undefined || !(before > 0)) return [];
    const ratio = value / before;
    return [{ name, ratio, isWorse: !(ratio <= slower) }];
  });
}

/** Puts the least of each figure into `times`, from the lines that `--json` prints. Counts and sizes are left out. */
export function least(times: Map<string, number>, output: string): void {
  for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
    const { name, value, unit } = JSON.parse(line) as Figure;
    if (/^(?:ns|us|µs|ms|s)$/.test(unit)) times.set(name, Math.min(times.get(name) ?? Infinity, value));
  }
}

/**
 * Measures groups of figures in both checkouts, which take turns.
 * @param base folder of the other checkout
 * @throws Error when a checkout cannot measure a group
 */
export async function measureAgainst(base: string, groups: readonly string[]): Promise<readonly Compared[]> {
  const times = { base: new Map<string, number>(), head: new Map<string, number>() };
  for (let round = 0; round < rounds; round++) {
    for (const group of groups) {
      least(times.base, await measured(base, group));
      least(times.head, await measured(root, group));
    }
  }
  return compare(times.head, times.base);
}

/** A missed limit of its own ends a bench with 1, and its lines count all the same. */
async function measured(checkout: string, group: string): Promise<string> {
  const args = [
    join(checkout, "scripts", "toolchain.mjs"),
    "exec",
    "bench/main.ts",
    "--json",
    "--only",
    group,
  ];
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd: checkout })).stdout;
  } catch (error) {
    const { stdout = "" } = error as { stdout?: string };
    if (stdout === "") throw error;
    return stdout;
  }
}

/** A line for each figure. */
export function comparison(found: readonly Compared[]): string {
  return found
    .map(
      ({ name, ratio, isWorse }) =>
        `${String(rounded(ratio)).padStart(6)} x  ${name}${isWorse ? "  WORSE" : ""}`,
    )
    .join("\n");
}
