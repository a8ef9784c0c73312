// Checks all that must hold before a change goes in: format, lint, types, dead code, then the tests, which come last so
// that their summary ends the output. A failed step does not stop the next ones. Packages and bundles for the tests are
// made during the other steps. Given files or folders, it lints and tests only these, and leaves out the dead code.
//
//   node scripts/toolchain.mjs exec scripts/check.ts [--only STEP] [--fix] [--install] [--times] [FILE OR FOLDER...]
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { bundleIfChanged } from "./bundle.ts";
import { bundleLibraries } from "./bundle-libraries.ts";
import { runPrograms, testFiles } from "./lanes.ts";
import { librariesVariable } from "./libraries.ts";
import { ciIsSet, describe, install, partByPeers } from "./peers.ts";
import { runTests, testFlags } from "./run-tests.ts";

const root = join(import.meta.dirname, "..");

interface Options {
  /** Format and lint change files instead of naming them. */
  readonly fix: boolean;
  /** Install the Debian packages that suites need; as root. */
  readonly install: boolean;
  /** Print how long the tests of each package took. */
  readonly times: boolean;
  /** Files and folders to lint and test; empty means all. */
  readonly paths: readonly string[];
}

/** Each answers whether it passed. */
const steps: Record<string, (options: Options) => Promise<boolean>> = {
  fmt: ({ fix }) => quiet("oxfmt", [fix ? "--write" : "--check"]),
  lint: ({ fix, paths }) => quiet("oxlint", [...(fix ? ["--fix"] : []), ...paths]),
  types: async () =>
    (await quiet("tsc", ["-p", "tsconfig.json"])) &&
    (await quiet("tsc", ["-p", "scripts/tsconfig.json"])) &&
    (await quiet("tsc", ["-p", "packages/ui/tsconfig.json"])),
  dead: () => quiet("knip", ["--no-progress", "--no-config-hints"]),
  test: test,
};

/** Steps that need the whole tree. */
const ofTheWhole: ReadonlySet<string> = new Set(["dead"]);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: "string" },
      fix: { type: "boolean", default: false },
      install: { type: "boolean", default: false },
      times: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.only !== undefined && !(values.only in steps)) {
    console.error(`no step is called ${values.only}; there are ${Object.keys(steps).join(", ")}`);
    process.exit(2);
  }
  const isPart = positionals.length > 0;
  const chosen = Object.entries(steps).filter(([name]) =>
    values.only === undefined ? !(isPart && ofTheWhole.has(name)) : name === values.only,
  );
  const options = { ...values, paths: positionals };
  const failed: string[] = [];
  if (chosen.some(([name]) => name === "test")) {
    prepared = prepare(options);
    // The step awaits it and fails with it.
    prepared.catch(() => {});
  }
  for (const [name, step] of chosen) if (!(await timed(name, () => step(options)))) failed.push(name);
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(", ")}`);
    process.exitCode = 1;
  }
}

/** Says how a step went in one line, unless it is the tests, which say it themselves. */
async function timed(name: string, step: () => Promise<boolean>): Promise<boolean> {
  const start = performance.now();
  const passed = await step();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (name !== "test") console.log(`${passed ? "✔" : "✖"} ${name} (${seconds} s)`);
  return passed;
}

/** Runs a tool of the workspace and shows what it says only if it fails. */
async function quiet(tool: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(join(root, "node_modules", ".bin", tool), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk));
  const passed = await ended(child);
  // Some tools colour what they say wherever CI is set, terminal or not.
  if (!passed) process.stdout.write(stripVTControlCharacters(said));
  return passed;
}

/** The test files that can run here, those that cannot, and the environment for them. */
interface Prepared extends ReturnType<typeof partByPeers> {
  readonly env: NodeJS.ProcessEnv;
}

let prepared: Promise<Prepared | undefined> = Promise.resolve(undefined);

/** Installs Debian packages if asked to, and bundles the product if a test runs it. */
async function prepare({ install: brings, paths }: Options): Promise<Prepared | undefined> {
  const found = testFiles(paths);
  let parted = partByPeers(found);
  if (parted.leftOut.length > 0 && brings) {
    await install(parted.leftOut);
    parted = partByPeers(found);
  }
  if (found.some((file) => startsHub.test(file)) && !(await setUp())) return undefined;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_COMPILE_CACHE: join(root, ".toolchain", "compile-cache"),
    // Finds entries by relative path, so that a copy of the tree can use them.
    NODE_COMPILE_CACHE_PORTABLE: "1",
    [librariesVariable]: await bundleLibraries(),
  };
  if (runPrograms(parted.files)) {
    env["LEDGE_TEST_BUNDLE"] = join(root, ".toolchain", "test-bundle");
    await bundleIfChanged(env["LEDGE_TEST_BUNDLE"]);
  }
  return { ...parted, env };
}

/** The tests of every package, with the suites that cannot run here named after them. */
async function test({ paths, times }: Options): Promise<boolean> {
  const ready = await prepared;
  if (ready === undefined) return false;
  const { files, leftOut, env } = ready;
  if (files.length + leftOut.length === 0) console.error("no test file is there");
  const passed = files.length > 0 ? await runFiles(files, env, { paths, times }) : leftOut.length > 0;
  if (leftOut.length === 0) return passed;
  console.log(describe(leftOut));
  return passed && (!ciIsSet() || leftOut.every(({ isOptional }) => isOptional));
}

/** Runs test files; lists every test when each file was named. */
async function runFiles(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  { paths, times }: Pick<Options, "paths" | "times">,
): Promise<boolean> {
  const isAll = paths.length === 0;
  if (isAll || !paths.every((path) => path.endsWith(".ts")))
    return runTests(files, env, { times, budgets: isAll });
  const flags = ["--test", ...testFlags, "--test-reporter=spec", "--test-concurrency=2"];
  return ended(spawn(process.execPath, [...flags, ...files], { cwd: root, env, stdio: "inherit" }));
}

/** They run `npm start`, which sets up what is missing; not beside tests that import just that. */
const startsHub = /^scripts\/session.*\.test\.ts$/;

function setUp(): Promise<boolean> {
  const toolchain = join(root, "scripts", "toolchain.mjs");
  return ended(
    spawn(process.execPath, [toolchain, "exec", "--version"], { stdio: ["ignore", "ignore", "inherit"] }),
  );
}

/** Whether a program ran to its end and found nothing wrong. */
async function ended(child: ChildProcess): Promise<boolean> {
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0;
  } catch (error) {
    console.error((error as Error).message);
    return false;
  }
}

await main();
