// The hub under load, in a separate process with its own folder and profile.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { programFile } from "@ledge/testkit/programs";
import { memoryOf } from "../process-memory.ts";

const root = join(import.meta.dirname, "..", "..");

/** Returns the path of the hub's socket, whose name changes with each start. */
function socketIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".sock")) ?? "ledge.sock");
}

export class LoadedHub {
  #child: ChildProcess;
  readonly port: number;
  readonly #folder: string;
  readonly #cloud: Cloud;

  private constructor(child: ChildProcess, port: number, folder: string, cloud: Cloud) {
    this.#child = child;
    this.port = port;
    this.#folder = folder;
    this.#cloud = cloud;
  }

  /**
   * Starts a hub and waits until it listens.
   * @param adapters the settings of its adapters, by protocol.
   */
  static async start(adapters: object): Promise<LoadedHub> {
    return LoadedHub.startAt(await SimulatedCloud.open(), adapters);
  }

  /**
   * Like `start`, with a given cloud.
   * @param cloud the hub's cloud; closed together with the hub
   */
  static async startAt(cloud: Cloud, adapters: object): Promise<LoadedHub> {
    const folder = mkdtempSync(join(tmpdir(), "ledge-load-"));
    const sim = JSON.parse(readFileSync(join(root, "firmware-profiles", "sim.json"), "utf8")) as object;
    writeFileSync(profileIn(folder), JSON.stringify({ ...sim, adapters }));
    try {
      const { child, port } = await run(folder, 0, cloud);
      return new LoadedHub(child, port, folder, cloud);
    } catch (error) {
      await cloud.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The folder of its data. */
  get dataFolder(): string {
    return dataIn(this.#folder);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its own memory (bytes), without the log that it has mapped. */
  ownBytes(): number {
    return memoryOf(this.pid, "RssAnon");
  }

  /** Kills the hub. It is gone when this resolves. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** Starts the hub again on the same folder and port. */
  async restart(): Promise<void> {
    ({ child: this.#child } = await run(this.#folder, this.port, this.#cloud));
  }

  /** Whether it still runs. */
  get runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Returns a key for a user with that address, who is added; without an address the owner's key.
   * @throws Error at another cloud
   */
  async key(email?: string, role?: number): Promise<string> {
    const cloud = this.#cloud;
    if (!(cloud instanceof SimulatedCloud)) throw new Error("keys come from the hub's own cloud");
    const hubId = await this.claim("owner@localhost");
    return email === undefined ? cloud.ownerKey(hubId) : cloud.keyOf(hubId, email, role);
  }

  /**
   * Claims the hub if it has no owner.
   * @returns its id.
   * @throws Error when the claim is refused
   */
  async claim(email: string): Promise<string> {
    const { hubId, state } = (await this.#ask("GET", "/hub")) as { hubId: string; state: string };
    const claim = `http://127.0.0.1:${this.port}/cc/1.14/hub/claim?email=${email}`;
    if (state !== "factory_new") return hubId;
    const { ok, status } = await fetch(claim, { method: "POST" });
    if (!ok) throw new Error(`the claim was answered ${status}`);
    return hubId;
  }

  /** Calls a row on the socket of the `ledge` command, which has no rate limit. */
  console(method: string, path: string, body: object = {}): Promise<unknown> {
    return this.#ask(method, `/cc/1.14${path}`, body);
  }

  async #ask(method: string, path: string, body: object = {}): Promise<unknown> {
    const outgoing = request({
      socketPath: socketIn(join(this.#folder, "data")),
      method,
      path,
      headers: { host: "localhost", "content-type": "application/json" },
    });
    const answer = new Promise<string>((resolve, reject) => {
      outgoing.once("error", reject);
      outgoing.once("response", (response) => void text(response).then(resolve, reject));
    });
    outgoing.end(method === "GET" ? undefined : JSON.stringify(body));
    return JSON.parse(await answer) as unknown;
  }

  /**
   * Freezes the adapters, so that nothing changes any more. The hub kills them within 20 s. Other children, such
   * as one that makes a backup, keep running, because the hub would wait for them.
   */
  freezeAdapters(): void {
    for (const adapter of this.adapters()) process.kill(adapter, "SIGSTOP");
  }

  killAdapters(): void {
    for (const adapter of this.adapters()) process.kill(adapter, "SIGKILL");
  }

  /** Process ids of its adapters. */
  adapters(): readonly number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8").trim().split(" ");
    const isAdapter = (child: string): boolean =>
      child !== "" && readFileSync(`/proc/${child}/cmdline`, "utf8").includes("/adapters/");
    return children.filter(isAdapter).map(Number);
  }

  /** Stops the hub in order. Its folder stays until `remove`. */
  async end(): Promise<void> {
    if (!this.runs) return;
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    // A frozen adapter delays the end of the hub by the grace period.
    this.#child.kill("SIGTERM");
    await ended;
  }

  async stop(): Promise<void> {
    await this.end();
    await this.#cloud.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The cloud that the hub dials: its address, and how to close it. */
type Cloud = Pick<SimulatedCloud, "url" | "close">;

const profileIn = (folder: string): string => join(folder, "profile.json");
const dataIn = (folder: string): string => join(folder, "data");

async function run(
  folder: string,
  at: number,
  { url }: Cloud,
): Promise<{ child: ChildProcess; port: number }> {
  const where = [
    "--profile",
    profileIn(folder),
    "--data",
    dataIn(folder),
    "--port",
    String(at),
    "--cloud",
    url,
  ];
  const child = spawn(process.execPath, [programFile("hub"), ...where, "--log", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  // Keep its output open, because a hub that cannot print would end.
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    const port = /API +http:\/\/[^:]+:(\d+)\n/.exec(printed)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
  throw new Error(`the hub ended before it listened: ${printed}`);
}
