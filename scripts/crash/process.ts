// Runs child processes under the shim.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "./child.ts";
import { bundledChild } from "./bundle.ts";
import type { Sabotage } from "./sabotage.ts";

const here = import.meta.dirname;

/** What happens to a child in addition to recording; see shim.c. */
export interface Conditions {
  /** Slows flushes of a file down by this many microseconds. */
  readonly slow?: readonly [name: string, us: number] | undefined;
  /** The name of a file that is never flushed, although the child is told so. */
  readonly unflushed?: string | undefined;
  /** Makes `count` writes or flushes fail from number `from` on, with an errno. */
  readonly fault?:
    | {
        readonly what: "write" | "flush";
        readonly from: number;
        readonly count: number;
        readonly errno: number;
      }
    | undefined;
  /** The free space (bytes) that the disk reports; by default the machine's. */
  readonly space?: number | undefined;
  readonly refusesDirect?: boolean | undefined;
  /** Kills the child before this many operations. */
  readonly killAt?: number | undefined;
  readonly sabotage?: readonly Sabotage[] | undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
}

/** Builds the shim in a folder and returns the path of its file. */
export function buildShim(folder: string): string {
  const file = join(folder, "shim.so");
  const flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-o", file];
  const { status, stderr, error } = spawnSync("gcc", [...flags, join(here, "shim.c")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`gcc failed: ${error?.message ?? stderr}`);
  return file;
}

/** Runs the children of one suite. */
export class Runner {
  readonly #folder: string;
  readonly #shim: string;
  /** The child's files, by their sabotages. */
  readonly #children = new Map<string, Promise<string>>();

  /** @param folder an existing folder for the shim, the children and a compile cache */
  constructor(folder: string) {
    this.#folder = folder;
    this.#shim = buildShim(folder);
  }

  #child(sabotages: readonly Sabotage[]): Promise<string> {
    const key = JSON.stringify(sabotages);
    const made =
      this.#children.get(key) ?? bundledChild(join(this.#folder, `child-${this.#children.size}`), sabotages);
    this.#children.set(key, made);
    return made;
  }

  /**
   * Runs child.ts to its end.
   * @param trace file for the record; without it nothing is recorded
   * @param whileRunning gets the process, so that it can kill it
   */
  async run(
    args: readonly string[],
    root: string,
    trace: string | undefined,
    conditions: Conditions = {},
    whileRunning: (kill: () => void, said: Promise<void>) => void = () => {},
  ): Promise<Ended> {
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(this.#folder, "compiled"),
      ...this.#environment(root, trace, conditions),
    };
    const child = spawn(process.execPath, [await this.#child(conditions.sabotage ?? []), ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, error] = ["", ""];
    const { promise: said, resolve } = Promise.withResolvers<void>();
    child.stdout.on("data", (data) => {
      out += String(data);
      resolve();
    });
    child.stderr.on("data", (data) => (error += String(data)));
    const tooLong = setTimeout(() => child.kill("SIGABRT"), 180_000);
    whileRunning(() => child.kill("SIGKILL"), said);
    return await new Promise((ended) => {
      child.once("close", (code, signal) => {
        clearTimeout(tooLong);
        ended({ code, signal, out, error });
      });
    });
  }

  #environment(root: string, trace: string | undefined, conditions: Conditions): Record<string, string> {
    const { slow, unflushed, fault, space, refusesDirect, killAt } = conditions;
    const isWatched =
      trace !== undefined || [slow, unflushed, fault, space, refusesDirect].some((one) => one !== undefined);
    return {
      ...(isWatched && { LD_PRELOAD: this.#shim, CRASH_ROOT: root }),
      ...(trace !== undefined && { CRASH_TRACE: trace }),
      ...(slow && { CRASH_SLOW: slow.join(" ") }),
      ...(unflushed !== undefined && { CRASH_UNFLUSHED: unflushed }),
      ...(fault && { CRASH_FAULT: `${fault.what} ${fault.from} ${fault.count} ${fault.errno}` }),
      ...(space !== undefined && { CRASH_SPACE: String(space) }),
      ...(refusesDirect === true && { CRASH_DIRECT: "refused" }),
      ...(killAt !== undefined && { CRASH_KILL: String(killAt) }),
    };
  }
}

/** Returns what a checking child found, or undefined when it died. */
export function verdictOf(ended: Ended): Verdict | undefined {
  return lastLineOf(ended) as Verdict | undefined;
}

/** Returns the last line of a child, or undefined when it did not get that far. */
export function lastLineOf({ code, out }: Ended): unknown {
  const line = out.trimEnd().split("\n").at(-1) ?? "";
  return code === 0 && line !== "" ? JSON.parse(line) : undefined;
}

export function traceOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    // The child was killed before it did anything.
    return Buffer.alloc(0);
  }
}
