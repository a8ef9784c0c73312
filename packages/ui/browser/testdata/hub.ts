import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Program, programFile } from "@ledge/testkit/programs";

const simProfile = join(import.meta.dirname, "../../../../firmware-profiles/sim.json");

/** The device that the simulated home announces last. */
const lastOfHome = "Yard motion";

/** A real hub with the simulated home, in a process of its own. */
export interface TestHub {
  readonly address: string;
  /** The owner's key; empty while nobody owns the hub. */
  readonly key: string;
  /** Runs `ledge` on the hub's folder. @returns what it prints */
  ledge(...args: readonly string[]): Promise<string>;
  /** Calls a row as the owner. @throws Error that holds the answer unless it is 200 */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  kill(): Promise<void>;
  /** Starts it again at the same address after its end. */
  start(): Promise<void>;
  /** Stops it, and removes its folder. */
  remove(): Promise<void>;
}

/**
 * Starts a hub on a new folder, and waits until its home is complete.
 * @param isOwned whether somebody owns it @param cloud the address of its cloud @param adapters before the simulated
 * home, by protocol; those of `sim` add to its settings @param more other fields of its profile
 */
export async function startHub(
  isOwned = true,
  cloud = "none",
  adapters: Readonly<Record<string, object>> = {},
  more: object = {},
): Promise<TestHub> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-ui-"));
  const profile = join(folder, "sim.json");
  const sim = JSON.parse(readFileSync(simProfile, "utf8")) as { readonly adapters: { readonly sim: object } };
  const { sim: ofHome = {}, ...others } = adapters;
  const all = { ...others, ...sim.adapters, sim: { ...sim.adapters.sim, ...ofHome } };
  writeFileSync(profile, JSON.stringify({ ...sim, ...more, adapters: all }));
  const run = (port: string): Promise<Started> =>
    started(
      "hub",
      "--data",
      folder,
      "--profile",
      profile,
      "--port",
      port,
      "--cloud",
      cloud,
      "--log",
      "error",
    );
  let { child, address } = await run("0");
  const { port } = new URL(address);
  const ledge = async (...args: readonly string[]): Promise<string> => {
    const command = [programFile("ledge"), ...args, "--data", folder];
    return (await promisify(execFile)(process.execPath, command)).stdout.trim();
  };
  const key = isOwned ? await ledge("key", "--recover", "--email", "owner@localhost") : "";
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${address}/cc/1.14${path}`, {
      method,
      headers: { authorization: key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const kill = async (): Promise<void> => {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  };
  const start = async (): Promise<void> => {
    ({ child, address } = await run(port));
  };
  const isComplete = async (): Promise<boolean> =>
    !isOwned || JSON.stringify(await call("GET", "/devices")).includes(lastOfHome);
  while (!(await isComplete())) await sleep(50);
  return {
    address,
    key,
    ledge,
    call,
    kill,
    start,
    async remove() {
      const ended = once(child, "close");
      if (child.kill("SIGTERM")) await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** A program of ours that serves. */
export interface Started {
  readonly child: ChildProcess;
  readonly address: string;
}

/** Starts a program, and waits until it prints its address. */
export async function started(program: Program, ...args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [programFile(program), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const address = /API +(http:\S+)\n/.exec(printed)?.[1];
    if (address !== undefined) return { child, address };
  }
  throw new Error(`the program ended before it listened: ${printed}`);
}
