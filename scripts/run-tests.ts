// Runs test files as fast as the machine allows, and says what failed and how long each package took.
//
// Two lanes go at once. The files of packages that start no process and wait for nothing share one process per
// package: they are pure work, and loading the packages anew for each file took longer than the tests. All other
// files have a process each, several at once, because they mostly wait for hubs, disks and sockets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Line } from "./test-reporter.ts";

const root = join(import.meta.dirname, "..");

/** Packages whose tests may share a process. A test that starts a process or kills one stands in none of them. */
const pure = ["model", "rules", "kernel", "link", "api", "adapters/dispatch"].map(
  (name) => `packages/${name}/`,
);
const startsProcess = /\/kill\.test\.ts$/;

/** Flags of every `node --test`. No test takes so long on a busy machine: what does hangs. */
export const testFlags: readonly string[] = [
  "--test",
  "--test-timeout=300000",
  `--import=${join(root, "scripts", "properties.ts")}`,
];

/** What is known of one file or, where files share a process, of one package. */
interface Took {
  readonly of: string;
  readonly milliseconds: number;
}

/** What ran and how it ended. */
interface Outcome {
  tests: number;
  passed: number;
  readonly failed: Line[];
  readonly took: Took[];
}

/**
 * Runs test files and prints each failure, then the counts.
 * @param files paths from the root of the checkout
 * @param env environment of the tests
 * @param times whether to print how long each package took
 * @returns whether all passed
 */
export async function runTests(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  times: boolean,
): Promise<boolean> {
  const began = performance.now();
  const outcome: Outcome = { tests: 0, passed: 0, failed: [], took: [] };
  const shared = pure.map((folder) =>
    files.filter((file) => file.startsWith(folder) && !startsProcess.test(file)),
  );
  const inShared = new Set(shared.flat());
  const others = files.filter((file) => !inShared.has(file));
  const oneByOne = async (): Promise<boolean> => {
    let isWhole = true;
    for (const group of shared) {
      if (group.length > 0) isWhole = (await run(group, ["--test-isolation=none"], env, outcome)) && isWhole;
    }
    return isWhole;
  };
  const concurrency = `--test-concurrency=${2 * availableParallelism()}`;
  const ended = await Promise.all([
    oneByOne(),
    others.length === 0 || run(others, ["--test-isolation=process", concurrency], env, outcome),
  ]);
  if (times) printTimes(outcome.took);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const failures = outcome.failed.length;
  console.log(`ℹ tests ${outcome.tests}\nℹ pass ${outcome.passed}\nℹ fail ${failures}\nℹ seconds ${seconds}`);
  for (const line of outcome.failed) if (line.type === "fail") console.log(`✖ ${line.file}: ${line.name}`);
  return failures === 0 && ended.every(Boolean);
}

/** Runs files in one `node --test`. @returns whether it ended well */
async function run(
  files: readonly string[],
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
  outcome: Outcome,
): Promise<boolean> {
  const reporter = `--test-reporter=${join(root, "scripts", "test-reporter.ts")}`;
  const child = spawn(process.execPath, [...testFlags, reporter, ...flags, ...files], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const began = performance.now();
  let hasCounts = false;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parsed(text);
    if (line === undefined) console.log(text);
    else if (line.type === "counts") hasCounts = true;
    if (line !== undefined) note(line, outcome);
  }
  const [code] = (await ended) as [number | null];
  if (flags.includes("--test-isolation=none")) {
    outcome.took.push({ of: files[0] ?? "", milliseconds: performance.now() - began });
  }
  if (!hasCounts) console.log(`✖ node --test ended with ${code} before it was done: ${files.join(" ")}`);
  return code === 0 && hasCounts;
}

/** Tests that share a process print straight to its output, so a line need not be the reporter's. */
function parsed(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as Line | null;
    return typeof value === "object" && value !== null && "type" in value ? value : undefined;
  } catch {
    return undefined;
  }
}

function note(line: Line, outcome: Outcome): void {
  switch (line.type) {
    case "fail":
      outcome.failed.push(line);
      console.log(`✖ ${line.file}: ${line.name}\n${line.why.replace(/^/gm, "    ")}`);
      break;
    case "file":
      outcome.took.push({ of: line.file, milliseconds: line.milliseconds });
      console.log(`${mark(line.file, outcome)} ${line.file} (${(line.milliseconds / 1000).toFixed(1)} s)`);
      break;
    case "said":
      process.stdout.write(line.text);
      break;
    case "counts":
      outcome.tests += line.tests;
      outcome.passed += line.passed;
      break;
  }
}

function mark(file: string, { failed }: Outcome): string {
  return failed.some((line) => line.type === "fail" && line.file === file) ? "✖" : "✔";
}

/** Prints the seconds of each package, and of the files that took longest. */
function printTimes(took: readonly Took[]): void {
  const packages = new Map<string, number>();
  for (const { of, milliseconds } of took) {
    const name = /^(?:packages\/adapters\/[^/]+|packages\/[^/]+|[^/]+)/.exec(of)?.[0] ?? of;
    packages.set(name, (packages.get(name) ?? 0) + milliseconds);
  }
  const print = (rows: readonly (readonly [string, number])[]): void => {
    for (const [name, milliseconds] of rows.toSorted(([, a], [, b]) => b - a)) {
      console.log(`${(milliseconds / 1000).toFixed(1).padStart(8)}  ${name}`);
    }
  };
  console.log("seconds of each package:");
  print([...packages]);
  console.log("seconds of the slowest files:");
  const slowest = took.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 20);
  print(slowest.map(({ of, milliseconds }) => [of, milliseconds]));
}
