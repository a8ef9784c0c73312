import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pssOf } from "../hub-process.ts";

/** The programs: the library alone, and the adapter alone. */
const entries = { library: "direct.child.ts", adapter: "adapter.child.ts" } as const;

/** A short program that drives a stick without a hub. */
export class Direct {
  readonly #child: ChildProcess;
  /** From the start of the process until its network was up, ms. */
  readonly upMs: number;

  private constructor(child: ChildProcess, upMs: number) {
    this.#child = child;
    this.upMs = upMs;
  }

  /** Resolves when it knows all nodes. */
  static async start(
    program: keyof typeof entries,
    path: string,
    cache: string,
    nodes: number,
  ): Promise<Direct> {
    const began = performance.now();
    const entry = join(import.meta.dirname, entries[program]);
    const args = [entry, path, cache, String(nodes)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    let upMs = 0;
    for await (const line of createInterface(child.stdout)) {
      if (line === "up") upMs = performance.now() - began;
      if (line === "known") return new Direct(child, upMs);
    }
    throw new Error("the program without a hub has ended");
  }

  set(node: number, isOn: boolean): void {
    this.#child.stdin?.write(`${node} ${isOn ? 1 : 0}\n`);
  }

  pss(): number {
    return pssOf(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}
