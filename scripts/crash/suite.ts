// The whole suite: cuts, kills and controls, from a seed.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Control, controls } from "./controls.ts";
import { Runner } from "./process.ts";
import { type Random, seeded } from "./random.ts";
import { cut, kill, type Outcome, type Writing, writtenHistory } from "./scenarios.ts";

export interface SuiteOptions {
  readonly cuts: number;
  readonly kills: number;
  readonly seed: string;
  /** An empty folder. With `keep`, the files of failed scenarios stay there. */
  readonly folder: string;
  readonly keep: boolean;
  /** Called with one line per failure, and now and then with the progress. */
  readonly tell: (line: string) => void;
}

/** The output of `crash --json`. Failures are counted in scenarios. */
export interface Totals {
  cuts: number;
  kills: number;
  ackedLost: number;
  corrupt: number;
  crashLoops: number;
  controlCaught: boolean;
}

/** How many cuts share one history, and how many kills one folder. */
const cutsPerHistory = 8;
const killsPerFolder = 10;
/** A control that survives this many cuts was not caught. */
const cutsPerControl = 48;
/** While one scenario checks, another one writes on the machine's other core. */
const lanes = 2;

/** Slow disks, used now and then, so that much is in flight when the power goes. */
const paces: readonly Writing[] = [
  {},
  {},
  { refusesDirect: true },
  { slow: ["data.mdb", 2000] },
  { slow: ["data.mdb", 20_000], isSteady: true },
  { slow: ["journal", 1000] },
];

export async function runSuite(options: SuiteOptions): Promise<Totals> {
  const { cuts, kills, seed, folder, tell } = options;
  const runner = new Runner(folder);
  const totals: Totals = { cuts: 0, kills: 0, ackedLost: 0, corrupt: 0, crashLoops: 0, controlCaught: false };
  const count = (name: string, outcome: Outcome): void => {
    const { lost, corrupt, isLoop } = outcome;
    if (lost.length > 0) totals.ackedLost++;
    if (corrupt.length > 0) totals.corrupt++;
    if (isLoop) totals.crashLoops++;
    if (isBad(outcome)) tell(`seed ${seed}, ${name}: ${[...lost, ...corrupt].join("; ")}`);
  };
  const jobs: (() => Promise<void>)[] = [];
  for (let from = 0; from < cuts; from += cutsPerHistory) {
    const name = `cuts-${from / cutsPerHistory}`;
    const size = Math.min(cutsPerHistory, cuts - from);
    jobs.push(async () => {
      for await (const outcome of cutsOf(runner, options, name, size)) {
        totals.cuts++;
        count(name, outcome);
      }
    });
  }
  for (let from = 0; from < kills; from += killsPerFolder) {
    const name = `kills-${from / killsPerFolder}`;
    jobs.push(async () => {
      for await (const outcome of killsOf(runner, options, name, Math.min(killsPerFolder, kills - from))) {
        totals.kills++;
        count(name, outcome);
      }
    });
  }
  const caught: boolean[] = [];
  for (const control of controls)
    jobs.push(async () => void caught.push(await isCaught(runner, options, control)));
  await inLanes(jobs);
  totals.controlCaught = caught.length > 0 && caught.every(Boolean);
  return totals;
}

async function* cutsOf(
  runner: Runner,
  options: SuiteOptions,
  name: string,
  size: number,
  control?: Control,
): AsyncGenerator<Outcome> {
  const random = seeded(`${options.seed}/${name}`);
  const folder = emptyFolder(options.folder, name);
  const writing = control?.writing ?? random.pick(paces);
  const history = await writtenHistory(runner, folder, random, writing);
  let isAnyBad = false;
  try {
    for (let number = 0; number < size; number++) {
      const outcome = await cut(
        runner,
        emptyFolder(folder, String(number)),
        history,
        random,
        control?.looking ?? {},
      );
      isAnyBad ||= isBad(outcome);
      discard(join(folder, String(number)), options, isBad(outcome) && control === undefined);
      yield outcome;
    }
  } finally {
    discard(folder, options, isAnyBad && control === undefined);
  }
}

async function* killsOf(
  runner: Runner,
  options: SuiteOptions,
  name: string,
  size: number,
): AsyncGenerator<Outcome> {
  const random: Random = seeded(`${options.seed}/${name}`);
  const folder = emptyFolder(options.folder, name);
  let outcome: Outcome | undefined;
  for (let session = 1; session <= size; session++) {
    yield (outcome = await kill(runner, folder, random, session));
    // Later scenarios on this folder would only repeat the same fault.
    if (isBad(outcome)) break;
  }
  discard(folder, options, outcome !== undefined && isBad(outcome));
}

/** Runs cuts with a control until one reveals loss or damage. */
async function isCaught(runner: Runner, options: SuiteOptions, control: Control): Promise<boolean> {
  for (let from = 0; from < cutsPerControl; from += cutsPerHistory) {
    const folder = `control-${control.name.replaceAll(" ", "-")}-${from}`;
    for await (const outcome of cutsOf(runner, options, folder, cutsPerHistory, control)) {
      if (isBad(outcome)) return true;
    }
  }
  options.tell(`seed ${options.seed}: the control "${control.name}" was not caught`);
  return false;
}

function isBad({ lost, corrupt, isLoop }: Outcome): boolean {
  return isLoop || lost.length + corrupt.length > 0;
}

function emptyFolder(...parts: readonly string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function discard(folder: string, { keep }: SuiteOptions, isBadOne: boolean): void {
  if (!keep || !isBadOne) rmSync(folder, { recursive: true, force: true });
}

async function inLanes(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...jobs];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
