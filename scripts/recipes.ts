// Follows the recipes of CONTRIBUTING.md like a reader: makes the changes of a recipe in a copy of the tree, and
// runs there what it tells the reader to run. A recipe is a part that begins with `### `. It has blocks of three
// kinds: `diff`; a file, whose path follows the language; and `sh`, to be run.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sourceFlags } from "@ledge/testkit/programs";

const root = join(import.meta.dirname, "..");
const hubPatienceMs = 120_000;

export interface Recipe {
  readonly title: string;
  /** Unified diffs, and new files by path. */
  readonly diffs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
}

/** The result: the first command that failed, if any, and the output. */
export interface Outcome {
  readonly failed: string | null;
  readonly output: string;
}

/** Returns the recipes of a page. */
export function recipesIn(page: string): Recipe[] {
  const [, ...parts] = page.split(/^### /m);
  return parts.map((part) => {
    const diffs: string[] = [];
    const files: Record<string, string> = {};
    const commands: string[] = [];
    for (const [, language, path, text = ""] of part.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)) {
      if (language === "diff") diffs.push(text);
      else if (path !== undefined) files[path] = text;
      else if (language === "sh") commands.push(...text.trimEnd().split("\n"));
    }
    return { title: part.split("\n")[0] ?? "", diffs, files, commands };
  });
}

/** Follows a recipe in `folder`, which becomes a copy of the tree, up to the first command that fails. */
export async function follow({ diffs, files, commands }: Recipe, folder: string): Promise<Outcome> {
  copyTree(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: "wx" });
  }
  for (const diff of diffs) applyDiff(diff, folder);
  let output = "";
  for (const command of commands) {
    const result = await run(command, folder);
    output += `$ ${command}\n${result.output}`;
    if (!result.passed) return { failed: command, output };
  }
  return { failed: null, output };
}

/** Copies what git tracks or would track, and links the installed packages. */
function copyTree(folder: string): void {
  const args = ["-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"];
  const listed = spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.split("\0");
  for (const path of listed) {
    if (path === "" || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  const modules = ["node_modules", ...globSync("{bench,packages/{,adapters/}*}/node_modules", { cwd: root })];
  for (const path of modules) copyLinks(join(root, path), join(folder, path));
  // The store that all links lead to. Nothing here writes to it.
  symlinkSync(join(root, "node_modules", ".pnpm"), join(folder, "node_modules", ".pnpm"));
  keepCompiled(folder);
}

/** Reuses what was compiled from this tree and its libraries, as in the checkout of a regular contributor. */
function keepCompiled(folder: string): void {
  const types = join(folder, "node_modules", ".cache");
  const store = relative(types, join(root, "node_modules", ".pnpm"));
  for (const path of globSync("*.tsbuildinfo", { cwd: types })) {
    const text = readFileSync(join(types, path), "utf8");
    writeFileSync(join(types, path), text.replaceAll('"../.pnpm/', `"${store}/`));
  }
  const modules = join(root, ".toolchain", "compile-cache");
  mkdirSync(modules, { recursive: true });
  mkdirSync(join(folder, ".toolchain"), { recursive: true });
  const kept = globSync("test-libraries-*", { cwd: join(root, ".toolchain") });
  for (const name of ["compile-cache", ...kept])
    symlinkSync(join(root, ".toolchain", name), join(folder, ".toolchain", name));
}

/**
 * Copies the links of a node_modules folder. They are relative, so links to workspace packages lead into the
 * copy.
 */
function copyLinks(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const kind = lstatSync(source);
    if (kind.isSymbolicLink()) symlinkSync(readlinkSync(source), join(to, name));
    else if (name === ".bin" || name === ".cache") cpSync(source, join(to, name), { recursive: true });
    else if (name.startsWith("@")) copyLinks(source, join(to, name));
  }
}

function applyDiff(diff: string, folder: string): void {
  // Ignore any repository around the copy.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const { status, stderr } = spawnSync("git", ["apply", "-"], {
    cwd: folder,
    input: diff,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the diff does not apply: ${stderr}\n${diff}`);
}

interface Ran {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs a command of a recipe. Node and the packages are already installed here. */
async function run(command: string, folder: string): Promise<Ran> {
  const [program, ...args] = command.split(" ");
  const words = (count: number): string => [program, ...args].slice(0, count).join(" ");
  if (command === "node scripts/toolchain.mjs pnpm install") return linkPackages(folder);
  if (words(3) === "node scripts/toolchain.mjs exec") return await runNode(args.slice(2), folder);
  if (words(4) === "npm run check --") return await runNode(["scripts/check.ts", ...args.slice(3)], folder);
  if (words(3) === "npm start --") return await tryHub(args.slice(2), folder);
  throw new Error(`a recipe must not contain the command: ${command}`);
}

async function runNode(args: readonly string[], folder: string): Promise<Ran> {
  const { ended } = start(args, folder);
  const { code, output } = await ended;
  return { passed: code === 0, output };
}

/** Starts a hub on a free port until its adapters run, and stops it as a reader would. */
async function tryHub(args: readonly string[], folder: string): Promise<Ran> {
  const data = join(folder, ".data", "tried");
  const { child, ended } = start(
    ["packages/hub/src/main.ts", ...args, "--port", "0", "--data", data],
    folder,
  );
  const status = ["packages/hub/src/cli.ts", "status", "--json", "--data", data];
  const deadline = Date.now() + hubPatienceMs;
  let phases: readonly string[] = [];
  await Promise.race([firstWords(child), ended, sleep(hubPatienceMs, undefined, { ref: false })]);
  while (child.exitCode === null && Date.now() < deadline && phases.every((phase) => phase === "starting")) {
    await sleep(200);
    phases = phasesIn((await runNode(status, folder)).output);
  }
  child.kill("SIGINT");
  const { code, output } = await ended;
  const runs = phases.length > 0 && phases.every((phase) => phase === "running");
  return { passed: runs && code === 0, output: `${output}adapters: ${phases.join(", ")}\n` };
}

function start(args: readonly string[], folder: string) {
  // Remove the variable that tells a nested test runner about the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...sourceFlags, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, output }));
  return { child, ended };
}

/** Resolves when the hub prints its address. */
async function firstWords({ stdout }: ChildProcess): Promise<void> {
  if (stdout !== null) await once(stdout, "data");
}

/** Returns the state of each adapter from `ledge status --json`; empty while there is no hub. */
function phasesIn(status: string): string[] {
  if (!status.startsWith("{")) return [];
  const { adapters } = JSON.parse(status) as { adapters: Record<string, { state: string }> };
  return Object.values(adapters).map(({ state }) => state);
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Links the new dependencies in a package.json, as pnpm would. A library must already be in use elsewhere. */
function linkPackages(folder: string): Ran {
  const found = globSync("packages/{,adapters/}*/package.json", { cwd: folder });
  const packages = found.map((file) => ({
    path: dirname(file),
    manifest: JSON.parse(readFileSync(join(folder, file), "utf8")) as Manifest,
  }));
  for (const { path, manifest } of packages) {
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const link = join(folder, path, "node_modules", name);
      if (existsSync(link)) continue;
      const ours = packages.find((other) => other.manifest.name === name)?.path;
      const target =
        ours ??
        packages
          .map((other) => join(other.path, "node_modules", name))
          .find((other) => existsSync(join(folder, other)));
      if (target === undefined) return { passed: false, output: `${path}: ${name} is not installed\n` };
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(relative(dirname(link), join(folder, target)), link);
    }
  }
  return { passed: true, output: "" };
}
