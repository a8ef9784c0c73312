// Runs a program of the release with a Node that it supports. Every Node from 20 on can read this file.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const release = dirname(dirname(fileURLToPath(import.meta.url)));
const oldest = 24;
/** The hub ends with it when it wants to be started again. */
const restart = 85;

/** Folder for the hub's data, as https://specifications.freedesktop.org/basedir-spec/ has it. */
export const data = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "ledge");

/**
 * What a hub's process finds in its environment, as systemd/ledge.service has it: libuv and glibc read these once, before
 * the program could set them.
 * @type {Readonly<Record<string, string>>}
 */
export const environment = {
  UV_THREADPOOL_SIZE: "8",
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "32768",
};

/**
 * The options, after those of `defaults` that they do not name.
 * @param {readonly string[]} options
 * @param {Readonly<Record<string, string>>} defaults
 */
export function withDefaults(options, defaults) {
  /** @param {string} name */
  const isNamed = (name) => options.some((option) => option === name || option.startsWith(`${name}=`));
  return [
    ...Object.entries(defaults).flatMap(([name, value]) => (isNamed(name) ? [] : [name, value])),
    ...options,
  ];
}

/**
 * The file of a profile.
 * @param {string} name
 */
export const profile = (name) => join(release, "firmware-profiles", `${name}.json`);

/**
 * Runs a program of the release until it ends, and ends as it does.
 * @param {string} program
 * @param {readonly string[]} options
 */
export async function run(program, options) {
  for (;;) {
    const code = await once(program, options);
    if (code !== restart) process.exit(code);
  }
}

/**
 * @param {string} program
 * @param {readonly string[]} options
 * @returns {Promise<number>}
 */
function once(program, options) {
  const env = { ...environment, ...process.env };
  const child = spawn(node(), [join(release, "lib", program), ...options], { stdio: "inherit", env });
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => child.kill(signal);
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      for (const one of signals) process.off(one, pass);
      resolve(code ?? (signal === null ? 1 : 128));
    });
  });
}

/** The Node that runs this, or the one that npm has installed beside it. */
function node() {
  if (Number(process.versions.node.split(".")[0]) >= oldest) return process.execPath;
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-linux-${process.arch}/package.json`);
    return join(dirname(manifest), "bin", "node");
  } catch {
    console.error(
      `Ledge needs Node ${oldest} or newer, and npm has installed none beside it: this is ${process.version}`,
    );
    process.exit(1);
  }
}
