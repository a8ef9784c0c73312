// Installs the exact Node and pnpm of this workspace and its packages, then runs a program with them. Plain ESM
// for any Node from 20, because it runs before the pinned Node is installed.
//
//   node scripts/toolchain.mjs exec FILE ARGS...   run FILE with the pinned Node, packages installed
//   node scripts/toolchain.mjs pnpm ARGS...        run the pinned pnpm, to add or update a package
//
// All messages go to stderr, because stdout belongs to the program.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, hostname } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The checkout, without a slash at the end. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, ".toolchain");
const lockFile = join(cache, "lock");
const pins = join(root, "scripts", "toolchain");
const installStamp = join(root, "node_modules", ".ledge-installed");
const lockStaleAfterMs = 15 * 60_000;

/**
 * @typedef {object} Tools
 * @property {string} id which pins these are: changes with the lock and the platform
 * @property {string} home the folder that holds both; it exists only when complete
 * @property {string} node the Node program
 * @property {string} pnpm the pnpm program
 * @property {Record<string, string>} versions by program name
 */

/**
 * Returns the pinned Node and pnpm. Installs them from the registry when they are missing.
 * @returns {Promise<Tools>}
 * @throws an Error with a message for the user if this platform has no pins or the registry fails
 */
export async function ensureToolchain() {
  const tools = pinned();
  if (!existsSync(tools.home)) {
    await alone(() => {
      if (!existsSync(tools.home)) bringTools(tools);
    });
  }
  return tools;
}

/**
 * Installs the toolchain, and node_modules according to pnpm-lock.yaml.
 * @returns {Promise<Tools>}
 * @throws an Error with a message for the user if something could not be installed
 */
export async function ensureInstalled() {
  const tools = await ensureToolchain();
  if (!isInstalled(tools)) {
    await alone(() => {
      if (!isInstalled(tools)) installPackages(tools);
    });
  }
  return tools;
}

/**
 * Runs a file with the pinned Node in the caller's folder, with our output. Forwards SIGINT and SIGTERM. After
 * Ctrl-C the program may get the signal from the terminal too.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string> }} [options] env is added to ours
 * @returns {Promise<number>} its exit code; 128 + n if signal n ended it
 */
export async function run(file, args, options = {}) {
  const tools = pinned();
  return await spawned(tools, tools.node, [file, ...args], options.env);
}

/**
 * Does the work of a start script: installs, runs the program, and ends this process like the program.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string> }} [options]
 * @returns {Promise<never>}
 */
export async function launch(file, args, options = {}) {
  return await endAs(async () => {
    await ensureInstalled();
    return await run(file, args, options);
  });
}

/** @returns {Tools} the paths of the pinned programs on this platform, installed or not */
function pinned() {
  const lock = readFileSync(join(pins, "package-lock.json"));
  const platform = `${process.platform}-${process.arch}`;
  const packages = { node: `node-${platform}`, pnpm: `@pnpm/exe.${platform}` };
  /** @type {Record<string, { version: string } | undefined>} */
  const locked = JSON.parse(lock.toString()).packages;
  /** @param {string} name */
  const version = (name) => {
    const entry = locked[`node_modules/${name}`];
    if (entry) return entry.version;
    throw new Error(`no Node is pinned for ${platform}: scripts/toolchain/package.json lists the platforms`);
  };
  const id = `${hash([lock]).slice(0, 12)}-${platform}`;
  const modules = join(cache, id, "node_modules");
  return {
    id,
    home: join(cache, id),
    node: join(modules, packages.node, "bin", "node"),
    pnpm: join(modules, packages.pnpm, "pnpm"),
    versions: { node: version(packages.node), pnpm: version(packages.pnpm) },
  };
}

/**
 * Installs into a new folder and renames it when complete, so that an interruption leaves nothing half-done.
 * @param {Tools} tools
 */
function bringTools(tools) {
  say(`bringing Node ${tools.versions.node} and pnpm ${tools.versions.pnpm} into .toolchain (once)`);
  for (const name of readdirSync(cache)) {
    if (name.startsWith("new-")) rmSync(join(cache, name), { recursive: true, force: true });
  }
  const fresh = mkdtempSync(join(cache, "new-"));
  for (const name of ["package.json", "package-lock.json"]) {
    writeFileSync(join(fresh, name), readFileSync(join(pins, name)));
  }
  // Verbose, because npm silently skips an optional package that it cannot fetch.
  const flags = ["--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--loglevel=verbose"];
  const npm = spawnSync("npm", ["ci", ...flags], { cwd: fresh, encoding: "utf8" });
  const problem = npm.error?.message ?? problemWith(tools, fresh);
  if (npm.status !== 0 || problem) {
    const told = `${npm.stdout ?? ""}${npm.stderr ?? ""}`;
    const reasons = told.split("\n").filter((line) => /\b(E[A-Z]{4,}|error|failed)\b/.test(line));
    throw new Error(
      `Node and pnpm could not be set up: ${problem ?? "npm failed"}.\n` +
        "The first start needs the package registry; is this machine offline, or is a proxy missing?\n" +
        reasons.slice(0, 12).join("\n"),
    );
  }
  renameSync(fresh, tools.home);
}

/**
 * @param {Tools} tools
 * @param {string} folder the current folder of the installed programs
 * @returns {string | undefined} what is wrong with the installed programs
 */
function problemWith(tools, folder) {
  for (const [name, program] of Object.entries({ node: tools.node, pnpm: tools.pnpm })) {
    const result = spawnSync(program.replace(tools.home, folder), ["--version"], { encoding: "utf8" });
    if (result.error) return `${name} is missing or does not run here (${result.error.message})`;
    const version = result.stdout.trim().replace(/^v/, "");
    if (version !== tools.versions[name]) return `${name} reports the version "${version}"`;
  }
  return undefined;
}

/** @param {Tools} tools */
function isInstalled(tools) {
  return existsSync(installStamp) && readFileSync(installStamp, "utf8") === installHash(tools);
}

/** @param {Tools} tools */
function installPackages(tools) {
  const wanted = installHash(tools);
  say("installing packages");
  rmSync(installStamp, { force: true });
  // pnpm would ask before it replaces a node_modules of another program, and wait for minutes when offline.
  const calm = ["confirm-modules-purge=false", "fetch-retry-mintimeout=500", "fetch-retry-maxtimeout=3000"];
  // The age of a release is checked when it enters the lock, not at each install, which would depend on the
  // clock.
  const flags = [
    "--frozen-lockfile",
    "--trust-lockfile",
    "--loglevel=error",
    ...calm.map((setting) => `--config.${setting}`),
  ];
  const options = { cwd: root, env: environment(tools), encoding: /** @type {const} */ ("utf8") };
  const pnpm = spawnSync(tools.pnpm, ["install", ...flags], options);
  if (pnpm.error || pnpm.status !== 0) {
    const told = pnpm.error?.message ?? `${pnpm.stdout}${pnpm.stderr}`.trim();
    throw new Error(
      `pnpm could not install the packages:\n${told}\n` +
        "It needs the package registry, and after a change of a package.json: node scripts/toolchain.mjs pnpm install",
    );
  }
  writeFileSync(installStamp, wanted);
}

/**
 * @param {Tools} tools
 * @returns {string} a hash that changes whenever the result of an install could change
 */
function installHash(tools) {
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"];
  for (const folder of ["", "packages", "packages/adapters"]) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const manifest = join(folder, entry.name, "package.json");
      if (entry.isDirectory() && existsSync(join(root, manifest))) files.push(manifest);
    }
  }
  return hash([tools.id, ...files.flatMap((file) => [file, readFileSync(join(root, file))])]);
}

/**
 * Does the work while no other start in this checkout does. The lock is a dangling symbolic link that names its
 * owner. One system call creates it, so it always has an owner.
 * @param {() => void} work
 */
async function alone(work) {
  mkdirSync(cache, { recursive: true });
  const me = `${hostname()}:${process.pid}`;
  let told = false;
  while (!takeLock(me)) {
    if (!told) say(`another start is setting up; waiting for it (${lockFile})`);
    told = true;
    await sleep(100);
  }
  try {
    work();
  } finally {
    if (lockOwner() === me) rmSync(lockFile, { force: true });
  }
}

/**
 * @param {string} me
 * @returns {boolean} whether we own the lock now
 */
function takeLock(me) {
  const owner = lockOwner();
  if (owner !== undefined && isStale(owner, me)) {
    const aside = `${lockFile}-${process.pid}`;
    try {
      renameSync(lockFile, aside);
      // Another start may have been faster: then this is its lock, so give it back.
      if (readlinkSync(aside) === owner) rmSync(aside);
      else renameSync(aside, lockFile);
    } catch {
      return false;
    }
  }
  try {
    symlinkSync(me, lockFile);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @returns {string | undefined} */
function lockOwner() {
  try {
    return readlinkSync(lockFile);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} owner
 * @param {string} me
 * @returns {boolean} whether the owner died without releasing the lock
 */
function isStale(owner, me) {
  const age = Date.now() - (lstatSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (owner === me || age > lockStaleAfterMs) return true;
  const [host, pid] = owner.split(":");
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
}

/**
 * @param {Tools} tools
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<number>} the exit code
 */
function spawned(tools, program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...environment(tools), ...env } });
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
      process.on(signal, () => child.kill(signal));
    }
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/**
 * @param {Tools} tools
 * @returns {NodeJS.ProcessEnv} our environment, with the pinned programs first in the path
 */
function environment(tools) {
  const path = [dirname(tools.node), dirname(tools.pnpm), process.env["PATH"] ?? ""].join(delimiter);
  return { ...process.env, PATH: path };
}

/** @param {readonly (string | Uint8Array)[]} parts */
function hash(parts) {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part).update("\0");
  return sum.digest("hex");
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`ledge: ${text}\n`);
}

/**
 * @param {() => Promise<number>} work returns the exit code
 * @returns {Promise<never>}
 */
async function endAs(work) {
  try {
    process.exit(await work());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [command, ...rest] = process.argv.slice(2);
  const [file, ...args] = rest;
  if (command === "exec" && file !== undefined) {
    await launch(file, args);
  } else if (command === "pnpm") {
    await endAs(async () => {
      const tools = await ensureToolchain();
      return await spawned(tools, tools.pnpm, rest);
    });
  } else {
    say("usage: node scripts/toolchain.mjs exec FILE ARGS... | pnpm ARGS...");
    process.exit(2);
  }
}
