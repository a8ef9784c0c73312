// A hub in a process of its own, with a simulated adapter of as many devices as asked for.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");

/** The files that run a hub, and `ledge` beside it. */
export interface Program {
  readonly hub: string;
  readonly ledge: string;
  /** Beside what the bench has itself. */
  readonly environment: NodeJS.ProcessEnv;
}

/** As the workspace holds it: types are stripped at every start. */
export const sources: Program = {
  hub: join(root, "packages", "hub", "src", "main.ts"),
  ledge: join(root, "packages", "hub", "src", "cli.ts"),
  environment: {},
};

/** As a device runs it, with the environment that the unit gives it. */
export async function bundled(folder: string): Promise<Program> {
  await promisify(execFile)(process.execPath, [join(root, "scripts", "bundle.ts"), "--out", folder]);
  const unit = readFileSync(join(root, "systemd", "ledge.service"), "utf8");
  const environment = Object.fromEntries(
    [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  ) as NodeJS.ProcessEnv;
  return { hub: join(folder, "lib", "hub.mjs"), ledge: join(folder, "lib", "ledge.mjs"), environment };
}

/** What the hub says of a device, as far as a bench looks. */
export interface DeviceSeen {
  readonly id: string;
  readonly type: string;
  readonly capabilities: { readonly values: readonly string[] };
  readonly state: { readonly reachable?: boolean };
}

export class HubProcess {
  readonly child: ChildProcess;
  readonly address: string;
  /** From the start of the process to the first answered `GET /hub` (ms). */
  readonly startMs: number;
  readonly #folder: HubFolder;

  constructor(child: ChildProcess, address: string, startMs: number, folder: HubFolder) {
    this.child = child;
    this.address = address;
    this.startMs = startMs;
    this.#folder = folder;
  }

  async call(method: string, path: string, key: string, body?: unknown): Promise<unknown> {
    const init = { method, headers: { authorization: key }, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${this.address}/cc/1.14${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Makes the account with this address the owner; needs a cloud. */
  async claim(email: string): Promise<void> {
    await this.call("POST", `/hub/claim?email=${email}`, "");
  }

  async metrics(key: string): Promise<string> {
    return (await fetch(`${this.address}/metrics`, { headers: { authorization: key } })).text();
  }

  async key(): Promise<string> {
    const args = [this.#folder.program.ledge, "key", "--recover", "--data", this.#folder.data];
    const { state } = (await (await fetch(`${this.address}/hub`)).json()) as { state: string };
    const owner = state === "factory_new" ? ["--email", "owner@localhost"] : [];
    return (await promisify(execFile)(process.execPath, [...args, ...owner])).stdout.trim();
  }

  /** Waits until so many devices are known. */
  async devices(count: number, key: string): Promise<readonly DeviceSeen[]> {
    for (let tries = 0; tries < 300; tries++) {
      const found = Object.values((await this.call("GET", "/devices", key)) as Record<string, DeviceSeen>);
      if (found.length >= count) return found;
      await sleep(200);
    }
    throw new Error(`the hub does not come to know ${count} devices`);
  }

  /** Memory of the hub process alone (MB), shared pages in proportion. */
  pss(): number {
    return pssOf(this.child.pid ?? 0);
  }

  /** It and its children. */
  pids(): readonly [hub: number, ...children: number[]] {
    const { pid = 0 } = this.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return [pid, ...children.split(" ").filter(Boolean).map(Number)];
  }

  /** Memory of its adapters' processes (MB), shared pages in proportion. */
  adaptersPss(): number {
    const [, ...children] = this.pids();
    const adapters = children.filter((child) =>
      readFileSync(`/proc/${child}/cmdline`, "utf8").includes("adapter"),
    );
    return adapters.reduce((sum, child) => sum + pssOf(child), 0);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("close", resolve));
    this.child.kill("SIGTERM");
    await ended;
  }
}

/** Memory of a process (MB), shared pages in proportion. */
export function pssOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss: +(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

/** A data folder and a profile, for one or more starts of a hub. */
export class HubFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  readonly data: string = join(this.path, "data");
  readonly program: Program;
  readonly #profile: string = join(this.path, "profile.json");

  /**
   * @param adapters their settings, by protocol
   * @param features beside those of the simulated home
   */
  constructor(adapters: object, program: Program = sources, features: readonly string[] = []) {
    this.program = program;
    const profile = JSON.parse(readFileSync(join(root, "firmware-profiles", "sim.json"), "utf8")) as {
      features: readonly string[];
    };
    const all = [...new Set([...profile.features, ...features])];
    writeFileSync(this.#profile, JSON.stringify({ ...profile, features: all, adapters }));
  }

  /**
   * @param flags for node, such as a module to preload
   * @param cloud address of the hub's cloud; default: it has none
   */
  async start(flags: readonly string[] = [], cloud = "none"): Promise<HubProcess> {
    const began = performance.now();
    const args = [
      ...flags,
      this.program.hub,
      "--profile",
      this.#profile,
      "--data",
      this.data,
      "--port",
      "0",
      "--log",
      "error",
      "--cloud",
      cloud,
    ];
    const env = { ...process.env, ...this.program.environment };
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
    let text = "";
    // Its output stays open: a hub that cannot print would end.
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      text += chunk.toString();
      const address = /API +(http:\S+)\n/.exec(text)?.[1];
      if (address === undefined) continue;
      await (await fetch(`${address}/hub`)).json();
      return new HubProcess(child, address, performance.now() - began, this);
    }
    throw new Error(`the hub ended before it listened: ${text}`);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
