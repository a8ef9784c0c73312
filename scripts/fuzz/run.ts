// Runs the cases of a target, counts the answers and reports what was wrong; docs/fuzz.md.

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: string;
  readonly tell: (line: string) => void;
  /** Runs only this case, instead of all up to `cases`. */
  readonly only?: number | undefined;
}

export interface FuzzResult {
  readonly target: TargetName;
  readonly cases: number;
  /** How many answers had each status or outcome; `none` counts missing answers. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly seed: string;
  /**
   * Memory (MB) of the process under test: the maximum in the first third of the cases, the minimum in the last
   * tenth.
   */
  readonly memoryStart: number;
  readonly memoryEnd: number;
}

export const targetNames = [
  "bacnet",
  "ble",
  "hub",
  "cloud",
  "graph",
  "hue",
  "mbus",
  "oauth",
  "onvif",
  "relay",
  "rf433",
  "signalr",
  "zwave",
] as const;
export type TargetName = (typeof targetNames)[number];

/** The result of one case. */
export interface Tried {
  /** The status of each answer, or what became of a frame; undefined for a missing one. */
  readonly statuses: readonly (number | string | undefined)[];
  /** What was sent, in a line or two. */
  readonly shown: string;
  readonly problems: readonly string[];
}

/** A server under test. */
export interface Target {
  readonly name: TargetName;
  readonly runs: boolean;
  /** Runs a case. What it sends depends only on the seed and the number of the case. */
  try(number: number): Promise<Tried>;
  /** Memory of the process under test (bytes), without mapped files. */
  memory(): number;
  /**
   * Checks the invariants of the whole run.
   * @returns the violated ones
   */
  finish(): Promise<readonly string[]>;
  /** Stops everything that the target has started. */
  close(): Promise<void>;
}

export const failuresMax = 20;
const memoryGrowthMb = 160;
/** How often to measure memory, which fluctuates with garbage collection. */
const looks = 50;

/** Sends the cases to a target one after the other, then closes it. */
export async function drive(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  try {
    return await sendCases(target, options);
  } finally {
    await target.close();
  }
}

async function sendCases(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const { cases, seed, tell, only } = options;
  const byStatus = new Map<string, number>();
  const failures: string[] = [];
  const [from, to] = only === undefined ? [0, cases] : [only, only + 1];
  const memory: number[] = [megabytes(target.memory())];
  let number = from;
  for (; number < to && target.runs && failures.length < failuresMax; number += 1) {
    if ((number - from) % Math.ceil((to - from) / looks) === 0) memory.push(megabytes(target.memory()));
    const { statuses, shown, problems } = await target.try(number);
    for (const status of statuses) {
      const name = String(status ?? "none");
      byStatus.set(name, (byStatus.get(name) ?? 0) + 1);
    }
    const again = `npm run -s fuzz -- --target ${target.name} --seed ${seed} --case ${number}`;
    for (const problem of target.runs ? problems : [...problems, "the process has ended"]) {
      failures.push(`${target.name}, case ${number}: ${problem}\n  ${bare(shown)}\n  alone: ${again}`);
      tell(failures.at(-1) ?? "");
    }
    if (number % 1000 === 999) tell(`${target.name}: ${number + 1} cases, ${failures.length} failures`);
  }
  if (target.runs) failures.push(...(await target.finish()));
  const memoryStart = Math.max(...memory.slice(0, Math.ceil(memory.length / 3)));
  const memoryEnd = Math.min(...memory.slice(-Math.ceil(memory.length / 10)));
  if (memoryEnd > memoryStart + memoryGrowthMb)
    failures.push(`memory grew from ${memoryStart} to ${memoryEnd} MB`);
  const counted = Object.fromEntries([...byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    target: target.name,
    cases: number - from,
    byStatus: counted,
    failures,
    seed,
    memoryStart,
    memoryEnd,
  };
}

/** Converts bytes to megabytes with one decimal. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

/** Shortens tokens, which are long and tell nothing. */
function bare(shown: string): string {
  return shown.replaceAll(/eyJ[\w-]{20,}(?:\.[\w-]*)*/g, "<token>");
}
