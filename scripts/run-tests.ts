// Runs test files as fast as the machine allows, and prints the failures and the cost of each package.
//
// Most files share a process with others of their package (scripts/lanes.ts). The longest processes start first. Most
// files wait for hubs, disks and sockets, so more of them run at once while processors are idle.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { lanesOf, suiteOf } from "./lanes.ts";
import { secondsOf } from "./test-costs.ts";
import { beyond, type Spent, spentBy } from "./test-budgets.ts";
import type { Line, Total } from "./test-reporter.ts";

const root = join(import.meta.dirname, "..");
const group = join(root, "scripts", "test-group.ts");

/** The duration of each file in the last run (ms), by path. */
const timesFile = join(root, ".toolchain", "test-times.json");

/** Flags of every test process. A test that exceeds the timeout hangs: even on a busy machine none takes so long. */
export const testFlags: readonly string[] = [
  "--test-timeout=300000",
  ...["libraries.ts", "properties.ts"].map((file) => `--import=${join(root, "scripts", file)}`),
];

/** Makes the output of a test process readable for `runTests`. */
export const reporterFlag = `--test-reporter=${join(root, "scripts", "test-reporter.ts")}`;

/** A test process that has not ended by then is killed and fails: a test has left something open. */
const endlessMs = 20 * 60_000;

/** How many test processes run at once: at least `least`, up to `most` while more than `spare` of the processors is idle. */
const least = 2 * availableParallelism();
const most = 3 * least;
const spare = 0.2;
const lookMs = 500;

/** How many lines of each failure's reason stand at the end. */
const reasonLines = 40;

/** A package with more files of a lane than this gets several processes for them. */
const filesTogether = { shared: 40, few: 6 } as const;

/** The files of one process. */
interface Unit {
  readonly name: string;
  readonly files: readonly string[];
}

interface Failure {
  readonly file: string;
  readonly name: string;
  readonly why?: string;
}

/** The results so far. */
interface Outcome {
  tests: number;
  passed: number;
  readonly failures: Failure[];
  readonly spent: Spent[];
  /** Duration of each file (ms), by path. */
  readonly took: Map<string, number>;
}

/**
 * Runs test files and prints each failure, then the counts.
 * @param files paths from the root of the checkout
 * @param env environment of the tests
 * @param options `times`: print the cost of each package. `budgets`: check the budgets, which hold for a run of all files.
 * @returns whether all passed
 */
export async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  { times, budgets }: { readonly times: boolean; readonly budgets: boolean },
): Promise<boolean> {
  const began = performance.now();
  const outcome: Outcome = { tests: 0, passed: 0, failures: [], spent: [], took: new Map() };
  await runAll(unitsOf(files), (unit) => run(unit, env, outcome));
  keepTimes(outcome.took);
  const spent = spentBy(outcome.spent);
  if (times) printTimes(outcome, spent);
  const { failures, tests, passed } = outcome;
  const over = budgets ? beyond(spent) : [];
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`ℹ tests ${tests}\nℹ pass ${passed}\nℹ fail ${failures.length}\nℹ seconds ${seconds}`);
  for (const failure of failures) console.log(reminder(failure));
  for (const line of over) console.log(`✖ ${line}`);
  return failures.length === 0 && over.length === 0;
}

/** Repeats a failure at the end of a long output, of which a reader may see no more: its name and the first lines of its reason. */
function reminder({ file, name, why = "" }: Failure): string {
  const lines = why.split("\n").slice(0, reasonLines);
  return [`✖ ${file}: ${name}`, ...lines.map((line) => `    ${line}`)].join("\n").trimEnd();
}

/** Returns the processes to run, the longest first by their last duration or a guess. */
function unitsOf(files: readonly string[]): readonly Unit[] {
  const { shared, few, others } = lanesOf(files);
  const before = lastTimes();
  const units = [
    ...others.map((file): Unit => ({ name: file, files: [file] })),
    ...[...shared].flatMap(([suite, together]) => split(suite, together, filesTogether.shared)),
    ...[...few].flatMap(([suite, together]) => split(`${suite}, outward`, together, filesTogether.few)),
  ];
  const expected = ({ files: own }: Unit): number =>
    own.reduce((sum, file) => sum + (before.get(file) ?? guessed(file)), 0);
  return units.toSorted((a, b) => expected(b) - expected(a));
}

/** Guesses the duration of a file that has not run here yet (ms). */
function guessed(file: string): number {
  const known = secondsOf[file];
  if (known !== undefined) return known * 1000;
  if (file.endsWith(".browser.test.ts")) return 25_000;
  if (/^packages\/adapters\/(?:zigbee|zwave)\/|\.peer\.test\.ts$/.test(file)) return 10_000;
  if (/^(?:scripts|packages\/(?:hub|cloud))\//.test(file)) return 5000;
  return /\.(?:prop|sim)\.test\.ts$/.test(file) ? 3000 : 500;
}

function split(suite: string, files: readonly string[], together: number): readonly Unit[] {
  const parts = Math.ceil(files.length / together);
  return Array.from({ length: parts }, (_, part) => ({
    name: parts === 1 ? suite : `${suite} (${part + 1} of ${parts})`,
    files: files.filter((_file, index) => index % parts === part),
  }));
}

/** Starts the processes in order while the machine has room. Resolves when all have ended. */
async function runAll(units: readonly Unit[], start: (unit: Unit) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>();
  const idle = idleSince();
  for (const unit of units) {
    while (running.size >= least && (running.size >= most || idle() < spare))
      await Promise.race([...running, sleep(lookMs)]);
    const ended = start(unit).finally(() => running.delete(ended));
    running.add(ended);
  }
  await Promise.all(running);
}

/** Returns a function for the idle share of the processors since its last call, or 0 when called again too soon. */
function idleSince(): () => number {
  const sums = (): { idle: number; all: number } => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, of) => sum + of.idle, 0);
    return { idle, all: times.reduce((sum, of) => sum + of.user + of.nice + of.sys + of.irq + of.idle, 0) };
  };
  let last = sums();
  let at = performance.now();
  return () => {
    if (performance.now() - at < lookMs) return 0;
    const now = sums();
    const share = (now.idle - last.idle) / Math.max(1, now.all - last.all);
    [last, at] = [now, performance.now()];
    return share;
  };
}

async function run({ name, files }: Unit, env: NodeJS.ProcessEnv, outcome: Outcome): Promise<void> {
  const began = performance.now();
  const [file = ""] = files;
  const program = files.length === 1 ? [file] : [group, ...files];
  const child = spawn(process.execPath, [...testFlags, reporterFlag, ...program], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const endless = setTimeout(() => child.kill("SIGKILL"), endlessMs);
  const ended = once(child, "close");
  let failed = 0;
  let total: Total | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const { said, line } = parsed(text);
    if (said !== "" || line === undefined) console.log(said);
    if (line === undefined) continue;
    if (line.type === "total") total = line;
    else if (line.type === "file") outcome.took.set(line.file, line.milliseconds);
    else {
      failed += 1;
      outcome.failures.push(line);
      console.log(`✖ ${line.file}: ${line.name}\n${line.why.replace(/^/gm, "    ")}`);
    }
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  clearTimeout(endless);
  if (total === undefined || (code !== 0 && failed === 0)) {
    failed += 1;
    outcome.failures.push({
      file: name,
      name: `the process ended with ${signal ?? `code ${code}`} before its tests were done`,
    });
  }
  const milliseconds = performance.now() - began;
  if (files.length === 1) outcome.took.set(file, milliseconds);
  outcome.tests += total?.tests ?? 0;
  outcome.passed += total?.passed ?? 0;
  outcome.spent.push({ suite: suiteOf(file), milliseconds, ...(total ?? none) });
  const cost = `${(milliseconds / 1000).toFixed(1)} s, ${((total?.cpuMs ?? 0) / 1000).toFixed(1)} s of processor`;
  console.log(`${failed > 0 ? "✖" : "✔"} ${name} (${cost})`);
}

const none = { cpuMs: 0, processes: 0, runs: 0 };

/** Separates a line of the reporter from text that tests print to the same output, without a line break perhaps. */
function parsed(text: string): { readonly said: string; readonly line?: Line } {
  const [, said = "", json] = /^(.*?)(\{"type":"(?:fail|file|total)",.*\})$/.exec(text) ?? [];
  return json === undefined ? { said: text } : { said, line: JSON.parse(json) as Line };
}

function lastTimes(): ReadonlyMap<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(timesFile, "utf8")) as Record<string, number>));
  } catch {
    return new Map();
  }
}

/** Keeps the durations for the next run, which only orders files by them. */
function keepTimes(took: ReadonlyMap<string, number>): void {
  mkdirSync(dirname(timesFile), { recursive: true });
  const times = [...lastTimes(), ...took].map(([file, ms]) => [file, Math.round(ms)]);
  writeFileSync(timesFile, JSON.stringify(Object.fromEntries(times)));
}

/** Prints the cost of each package, and the slowest files. */
function printTimes({ took }: Outcome, spent: readonly Spent[]): void {
  const row = (...cells: readonly (string | number)[]): void =>
    console.log(
      cells.map((cell, at) => (at < cells.length - 1 ? String(cell).padStart(10) : `  ${cell}`)).join(""),
    );
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
  row("seconds", "cpu", "processes", "runs", "package");
  for (const { suite, milliseconds, cpuMs, processes, runs } of spent)
    row(seconds(milliseconds), seconds(cpuMs), processes, runs, suite);
  row("seconds", "slowest files");
  const slowest = [...took].toSorted(([, a], [, b]) => b - a).slice(0, 20);
  for (const [file, milliseconds] of slowest) row(seconds(milliseconds), file);
}
