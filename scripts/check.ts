// All that must hold before a change goes in: format, lint, types, dead code, then the tests, which come
// last so that their summary closes the output. A failed step does not stop the ones after it.
//
//   node scripts/toolchain.mjs exec scripts/check.ts [--only STEP] [--fix] [--install] [--times] [TEST FILE OR FOLDER...]
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { globSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { bundleInto } from "./bundle.ts";
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
  /** Where the tests are narrowed to; empty is everywhere. */
  readonly paths: readonly string[];
}

/** Each answers whether it passed. */
const steps: Record<string, (options: Options) => boolean | Promise<boolean>> = {
  fmt: ({ fix }) => quiet("oxfmt", fix ? ["--write"] : ["--check"]),
  lint: ({ fix }) => quiet("oxlint", fix ? ["--fix"] : []),
  types: () => quiet("tsc", ["-p", "tsconfig.json"]) && quiet("tsc", ["-p", "scripts/tsconfig.json"]),
  dead: () => quiet("knip", ["--no-progress", "--no-config-hints"]),
  test: test,
};

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
  const options = { ...values, paths: positionals };
  const chosen = Object.entries(steps).filter(([name]) => values.only === undefined || name === values.only);
  const failed: string[] = [];
  for (const [name, step] of chosen) if (!(await timed(name, () => step(options)))) failed.push(name);
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(", ")}`);
    process.exitCode = 1;
  }
}

/** Says how a step went in one line, unless it is the tests, which say it themselves. */
async function timed(name: string, step: () => boolean | Promise<boolean>): Promise<boolean> {
  const start = performance.now();
  const passed = await step();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (name !== "test") console.log(`${passed ? "✔" : "✖"} ${name} (${seconds} s)`);
  return passed;
}

/** Runs a tool of the workspace and shows what it says only if it fails. */
function quiet(tool: string, args: readonly string[]): boolean {
  const program = join(root, "node_modules", ".bin", tool);
  const result = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  const passed = ended(result);
  // Some tools colour what they say wherever CI is set, terminal or not.
  if (!passed) process.stdout.write(stripVTControlCharacters(`${result.stdout ?? ""}${result.stderr ?? ""}`));
  return passed;
}

/** The tests of every package, with the suites that cannot run here named after them. */
async function test(options: Options): Promise<boolean> {
  const found = testFiles(options.paths);
  let { files, leftOut } = partByPeers(found);
  if (leftOut.length > 0 && options.install) {
    install(leftOut);
    ({ files, leftOut } = partByPeers(found));
  }
  if (found.length === 0) console.error("no test file is there");
  const passed = found.length > 0 && (files.length === 0 || (await runAll(files, options)));
  if (leftOut.length === 0) return passed;
  console.log(describe(leftOut));
  return passed && (!ciIsSet() || leftOut.every(({ isOptional }) => isOptional));
}

/** Paths from the root of the checkout, sorted. */
function testFiles(paths: readonly string[]): readonly string[] {
  const patterns = ["packages/**/src/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.ts"];
  const files = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] }).toSorted();
  if (paths.length === 0) return files;
  const wanted = paths.map((path) => relative(root, resolve(path)));
  return files.filter((file) => wanted.some((path) => file === path || file.startsWith(`${path}/`)));
}

/** They run `npm start`, which sets up what is missing; not beside tests that import just that. */
const startsHub = /^scripts\/session.*\.test\.ts$/;

/** They run the hub, the cloud or their commands as processes. */
const runsPrograms = /^(?:packages\/(?:hub|cloud)|scripts)\//;

function setUp(): boolean {
  const toolchain = join(root, "scripts", "toolchain.mjs");
  return ended(
    spawnSync(process.execPath, [toolchain, "exec", "--version"], { stdio: ["ignore", "ignore", "inherit"] }),
  );
}

/** A leaked handle is a fault to be found, so nothing here ends a test that does not end by itself. */
async function runAll(files: readonly string[], { paths, times }: Options): Promise<boolean> {
  if (files.some((file) => startsHub.test(file)) && !setUp()) return false;
  const cache = join(root, ".toolchain", "compile-cache");
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: cache };
  if (files.some((file) => runsPrograms.test(file))) {
    env["LEDGE_TEST_BUNDLE"] = join(root, ".toolchain", "test-bundle");
    await bundleInto(env["LEDGE_TEST_BUNDLE"]);
  }
  if (paths.length === 0) return runTests(files, env, times);
  const flags = [...testFlags, "--test-reporter=spec", "--test-concurrency=2"];
  return ended(spawnSync(process.execPath, [...flags, ...files], { cwd: root, env, stdio: "inherit" }));
}

/** Whether a program ran to its end and found nothing wrong. */
function ended(result: SpawnSyncReturns<unknown>): boolean {
  if (result.error) console.error(result.error.message);
  return result.status === 0;
}

await main();
