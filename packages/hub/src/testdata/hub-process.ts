import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { socketConsole } from "@ledge/host/cli/client";
import type { Device } from "@ledge/model";
import type { SimulatedCloud } from "@ledge/testkit/cloud";
import { programFile } from "@ledge/testkit/programs";

/** Makes an empty folder below the temporary folder. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "ledge-hub-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) };
}

/** Writes a profile without adapters to a folder and returns its file. */
export function bareProfile(folder: string, more: object = {}): string {
  const file = join(folder, "bare.json");
  const { share: _, ...sim } = JSON.parse(
    readFileSync(new URL("../../../../firmware-profiles/sim.json", import.meta.url), "utf8"),
  ) as { readonly share?: string };
  writeFileSync(file, JSON.stringify({ ...sim, name: "bare", adapters: {}, ...more }));
  return file;
}

/**
 * Returns a key of the owner that the hub signs itself, as `ledge key --recover` prints it. @param email of the
 * owner
 */
export async function recoveredKey(folder: string, email = "owner@localhost"): Promise<string> {
  const body = (await metaOf(folder)).state === "claimed" ? {} : { email };
  const { status, json } = await socketConsole(folder).call("POST", "/cc/1.14/console/recover", body);
  // Without a key, later calls would be refused with 401, which names another reason.
  assert.equal(status, 200, JSON.stringify(json));
  return (json as { key: string }).key;
}

/** Returns HUB_META_DATA (hub-api 2.1) from the console, which has no rate limit. */
async function metaOf(folder: string): Promise<{ hubId: string; state: string }> {
  const { json } = await socketConsole(folder).call("GET", "/hub");
  return json as { hubId: string; state: string };
}

/** The output and exit code of a finished process. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `ledge` to its end. */
export async function ledge(...args: string[]): Promise<Finished> {
  return finish(
    spawn(process.execPath, [programFile("ledge"), ...args], { stdio: ["ignore", "pipe", "pipe"] }),
  );
}

/** Waits for the end of a process and collects its output. */
export async function finish(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** The device that the simulated home announces last. */
const lastOfHome = "Yard motion";

/** Matches the command line of an adapter's process, from source and from a bundle. */
const isAdapter = /\/adapters\/|\/adapter-/;

/** Returns a file of a process; undefined when the process has ended meanwhile. */
function procFile(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

const childrenOf = (pid: number): readonly number[] =>
  (procFile(`${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);

/** Returns the words of a process's command line, each with a NUL behind it; nothing if it has ended. */
export const commandLineOf = (pid: number): string => procFile(`${pid}/cmdline`) ?? "";

/** Whether a hub asks its caller to come back in a second. */
const isBusy = ({ status, headers }: Response): boolean =>
  status === 503 && headers.get("retry-after") === "1";

/** The answer to a call, with its body as JSON. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** A hub in a process of its own, started on a free port. */
export class HubProcess {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly address: string;
  readonly ended: Promise<Finished>;
  /** The simulated cloud of the hub, if any. */
  cloud: SimulatedCloud | undefined;

  constructor(child: ChildProcess, folder: string, address: string, ended: Promise<Finished>) {
    this.child = child;
    this.folder = folder;
    this.address = address;
    this.ended = ended;
  }

  /** Starts the hub and waits until it prints its address. It has no cloud unless the arguments name one. */
  static start(folder: string, ...args: string[]): Promise<HubProcess> {
    return HubProcess.startWith({}, programFile("hub"), folder, "--port", "0", "--log", "error", ...args);
  }

  /** As `start`, with a cloud. */
  static async startAt(cloud: SimulatedCloud, folder: string, ...args: string[]): Promise<HubProcess> {
    const hub = await HubProcess.start(folder, "--cloud", cloud.url, ...args);
    hub.cloud = cloud;
    return hub;
  }

  /** As `start`, with another program that runs a hub and with additions to its environment. */
  static async startWith(
    env: Readonly<Record<string, string>>,
    program: string | URL,
    folder: string,
    ...args: string[]
  ): Promise<HubProcess> {
    const cloud = args.includes("--cloud") ? [] : ["--cloud", "none"];
    const child = spawn(
      process.execPath,
      [typeof program === "string" ? program : fileURLToPath(program), "--data", folder, ...cloud, ...args],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...env },
      },
    );
    const ended = finish(child);
    const address = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const found = /API +(http:\S+)\n/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then(({ code, stderr }) => reject(new Error(`the hub ended with ${code}: ${stderr}`)));
    });
    return new HubProcess(child, folder, address, ended);
  }

  /**
   * Returns the owner's key, and claims the hub first if necessary. A hub without a cloud signs the key itself.
   * @param email of another user, who gets access with the role if necessary; requires a cloud
   */
  async key(email?: string, role?: number): Promise<string> {
    if (this.cloud === undefined) return recoveredKey(this.folder);
    const { hubId, state } = await metaOf(this.folder);
    if (state === "factory_new") await this.call("POST", "/hub/claim?email=owner@localhost", "");
    return email === undefined ? this.cloud.ownerKey(hubId) : this.cloud.keyOf(hubId, email, role);
  }

  async hubId(): Promise<string> {
    return (await metaOf(this.folder)).hubId;
  }

  /**
   * Makes a call under the versioned prefix; returns the answer's body as JSON. A question that the hub is too busy
   * to answer now, such as one about the past, is asked again, as its answer says.
   */
  async call(method: string, path: string, key: string, body?: unknown): Promise<Answer> {
    const ask = (): Promise<Response> =>
      fetch(`${this.address}/cc/1.14${path}`, {
        method,
        headers: { authorization: key },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await ask();
    for (let left = method === "GET" ? 60 : 0; left > 0 && isBusy(response); left--) {
      await response.arrayBuffer();
      await sleep(1000);
      response = await ask();
    }
    return { status: response.status, json: await response.json() };
  }

  /** As `call`, for a call that must be answered with 200; returns the body alone. */
  async done<T>(method: string, path: string, key: string, body?: unknown): Promise<T> {
    const { status, json } = await this.call(method, path, key, body);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(json)}`);
    return json as T;
  }

  /** Waits for a device with this name that fulfils the condition. @param key of a user who sees it */
  async device(name: string, key: string, is: (device: Device) => boolean = () => true): Promise<Device> {
    return await eventually(name, async () => {
      const { json } = await this.call("GET", "/devices", key);
      return Object.values(json as Record<string, Device>).find((one) => one.name === name && is(one));
    });
  }

  /** Resolves when the simulated home has announced all its devices, so that none appears later in a test. */
  async homeAnnounced(key: string): Promise<void> {
    await this.device(lastOfHome, key);
  }

  /** Kills the adapter's process when there is one, and waits until it is gone. */
  async killAdapter(): Promise<void> {
    const [, adapter] = await eventually("the process of an adapter", async () => this.#adapters()[0]);
    process.kill(adapter, "SIGKILL");
    await eventually("its end", async () =>
      this.#adapters().some(([, pid]) => pid === adapter) ? undefined : true,
    );
  }

  /** Returns the process ids of all its descendants. */
  descendants(of = this.child.pid ?? 0): number[] {
    return childrenOf(of).flatMap((pid) => [pid, ...this.descendants(pid)]);
  }

  /** Returns the processes of its adapters: protocol -> process id. */
  adapters(): ReadonlyMap<string, number> {
    return new Map(this.#adapters().map(([line, pid]) => [line.split("\0").at(-2) ?? "", pid]));
  }

  #adapters(): (readonly [commandLine: string, pid: number])[] {
    return childrenOf(this.child.pid ?? 0)
      .map((pid) => [commandLineOf(pid), pid] as const)
      .filter(([line]) => isAdapter.test(line));
  }

  async stop(): Promise<Finished> {
    this.child.kill("SIGTERM");
    return this.ended;
  }

  async kill(): Promise<Finished> {
    this.child.kill("SIGKILL");
    return this.ended;
  }
}

/** The simulated home that the tests of one file share, and its owner's key. */
export class TestHome {
  readonly #folder = temporaryFolder();
  readonly #args: readonly string[];
  #hub: HubProcess | undefined;
  #key = "";

  /** Starts the home before the first test of the file and removes it after the last. @param args of `main.ts` */
  constructor(...args: string[]) {
    this.#args = args;
    before(async () => {
      await this.start();
      this.#key = await this.hub.key();
    });
    after(async () => {
      await this.#hub?.stop();
      this.#folder.remove();
    });
  }

  get folder(): string {
    return this.#folder.path;
  }

  /** The current process, or the last one. */
  get hub(): HubProcess {
    if (this.#hub === undefined) throw new Error("there is no hub before the first test");
    return this.#hub;
  }

  get key(): string {
    return this.#key;
  }

  /** Starts the hub again on its folder after it has ended. */
  async start(): Promise<void> {
    this.#hub = await HubProcess.start(this.folder, ...this.#args);
  }

  /** Makes a call as the owner. */
  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.hub.call(method, path, this.key, body);
  }

  /** Returns the objects in a list or dictionary of the API. */
  async all<T>(path: string): Promise<T[]> {
    return Object.values((await this.call("GET", path)).json as Record<string, T>);
  }

  /** Returns the messages of the open alerts. */
  async alerts(): Promise<string[]> {
    const { json } = await this.call("GET", "/hub/poll?ts=0");
    const { polls } = json as { polls: { type: string; alerts?: Record<string, { message: string }> }[] };
    const { alerts = {} } = polls.find(({ type }) => type === "USER_ALERTS") ?? {};
    return Object.values(alerts).map(({ message }) => message);
  }

  /** Waits for a device with this name that fulfils the condition. */
  device(name: string, is?: (device: Device) => boolean): Promise<Device> {
    return this.hub.device(name, this.key, is);
  }
}

/** Asks again until there is an answer; fails after about a minute. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await ask();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`waited in vain for ${what}`);
}
