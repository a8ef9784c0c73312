import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CloudProcess } from "@ledge/cloud/process";
import { freePort } from "@ledge/testkit/free-port";

/** What runs a program that ends when the trial is gone, however that ended. */
export const bound: readonly string[] = ["setpriv", "--pdeathsig", "KILL"];

/** The processes of one cloud. */
export class Nodes {
  readonly #root: string;
  readonly #args: readonly string[];
  readonly #ports: number[] = [];
  /** By place; undefined while it does not run. */
  readonly #all: (CloudProcess | undefined)[] = [];
  #turn = 0;

  /** @param args of each process */
  constructor(root: string, args: readonly string[]) {
    this.#root = root;
    this.#args = args;
  }

  async begin(count: number): Promise<void> {
    for (let at = 0; at < count; at++) this.#ports.push(await freePort());
    await this.start(0);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => this.start(at + 1)));
  }

  get count(): number {
    return this.#ports.length;
  }

  /** One that runs, each in turn. @param but another one than this */
  any(but?: CloudProcess): CloudProcess {
    const running = this.#all.filter((node) => node !== undefined && node !== but);
    const found = running[this.#turn++ % running.length] ?? but;
    if (found === undefined) throw new Error("no process runs");
    return found;
  }

  at(place: number): CloudProcess {
    const node = this.#all[place];
    if (node === undefined) throw new Error(`process ${place} does not run`);
    return node;
  }

  /** Returns the place of the process that writes, once there is one. */
  async writer(): Promise<number> {
    for (;;) {
      for (const [place, node] of this.#all.entries())
        if (node !== undefined && (await statusOf(node)) === "serving") return place;
      await setTimeout(250);
    }
  }

  async kill(place: number): Promise<void> {
    const node = this.at(place);
    this.#all[place] = undefined;
    await node.kill();
  }

  /** Ends a process as systemd does, and starts it again. It is asked until it has ended. */
  async restart(place: number): Promise<void> {
    const { code, stderr } = await this.at(place).stop();
    this.#all[place] = undefined;
    if (code !== 0) throw new Error(`process ${place} ended with ${code}: ${stderr.slice(-2000)}`);
    await this.start(place);
  }

  /** All have the secret key of the first. */
  async start(place: number): Promise<void> {
    const folder = join(this.#root, `node-${place}`);
    const first = join(this.#root, "node-0");
    if (folder !== first) {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      copyFileSync(join(first, "secret-key"), join(folder, "secret-key"));
    }
    const port = this.#ports[place];
    const own = ["--port", `${port}`, "--node", `http://127.0.0.1:${port}`];
    this.#all[place] = await CloudProcess.startBy(bound, folder, ...this.#args, ...own);
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map(async (node) => node?.kill()));
  }
}

async function statusOf(node: CloudProcess): Promise<string | undefined> {
  try {
    const answer = await node.call("GET", "/healthz");
    return ((await answer.json()) as { status: string }).status;
  } catch {
    return undefined;
  }
}
