import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder } from "@ledge/testkit";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { programFile } from "@ledge/testkit/programs";
import { type Call, notLinearizable } from "./linearizable.ts";
import { asked, newSite } from "./writer.ts";

export interface PartitionOptions {
  /** How long the writer is cut off from the database, the broker and the other process; its clients reach it. */
  readonly cutMs: number;
  readonly tell: (line: string) => void;
}

export interface Partitioned {
  /** Calls that were answered. */
  readonly calls: number;
  /** Writes that the writer acknowledged before the cut, and that the other one acknowledged after it. */
  readonly before: number;
  readonly afterwards: number;
  /** Writes without an answer. */
  readonly unknown: number;
  /** From the cut to the first write that the other process acknowledged (ms). */
  readonly takeoverMs: number;
  /** How the process that was cut off ended; null while it runs. */
  readonly exitCode: number | null;
  /** Registers whose history no order explains. */
  readonly broken: readonly string[];
}

/** How long a client waits for an answer (ms). */
const patienceMs = 5000;
const registers = 3;

/** Two networks to a namespace: one to the servers and the other process, and one to the clients. */
class Namespace {
  readonly name = `ledge-${process.pid}`;
  readonly servers: string;
  readonly clients: string;
  readonly #net = `10.${128 + ((process.pid >> 8) & 127)}.${process.pid & 255}`;

  constructor() {
    ip("netns", "add", this.name);
    ip("-n", this.name, "link", "set", "lo", "up");
    this.servers = this.#wire("s", 1);
    this.clients = this.#wire("c", 17);
  }

  /** The address of this machine in the network of the servers. */
  get here(): string {
    return `${this.#net}.1`;
  }

  get network(): string {
    return `${this.#net}.16/28`;
  }

  cut(): void {
    ip("link", "set", `lg${process.pid}s`, "down");
  }

  heal(): void {
    ip("link", "set", `lg${process.pid}s`, "up");
  }

  remove(): void {
    ip("netns", "delete", this.name);
  }

  /** @returns the address inside */
  #wire(kind: string, first: number): string {
    const [outside, inside] = [`lg${process.pid}${kind}`, `lg${process.pid}${kind}i`];
    ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", this.name);
    ip("address", "add", `${this.#net}.${first}/28`, "dev", outside);
    ip("link", "set", outside, "up");
    ip("-n", this.name, "address", "add", `${this.#net}.${first + 1}/28`, "dev", inside);
    ip("-n", this.name, "link", "set", inside, "up");
    return `${this.#net}.${first + 1}`;
  }
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: "pipe" });
}

/** Cuts the process that writes off while clients write at both, and checks what they saw. Needs root. */
export async function partition({ cutMs, tell }: PartitionOptions): Promise<Partitioned> {
  const root = temporaryFolder();
  const space = new Namespace();
  const [database, broker] = await Promise.all([
    PostgresServer.start(space.here),
    NatsServer.start("-a", space.here),
  ]);
  const config = join(root.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ trustedProxies: [space.network], issuer: "fleet" }));
  const bus = broker.url().replace("127.0.0.1", space.here);
  const shared = ["--store", `postgres://ledge@${space.here}/postgres`, "--bus", bus, "--config", config];
  const nodes: CloudProcess[] = [];
  try {
    const own = ["--host", space.clients, "--cluster", `${space.servers}:8895`, ...shared];
    const old = await startIn(space.name, join(root.path, "old"), own);
    nodes.push(old);
    mkdirSync(join(root.path, "other"), { mode: 0o700 });
    copyFileSync(join(root.path, "old", "secret-key"), join(root.path, "other", "secret-key"));
    const other = await CloudProcess.start(
      join(root.path, "other"),
      "--cluster",
      `${space.here}:0`,
      ...shared,
    );
    nodes.push(other);
    return await cutAndWrite(space, [old, other], { cutMs, tell });
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all([database.remove(), broker.kill()]);
    space.remove();
    root.remove();
  }
}

/** Starts a cloud in a namespace. */
async function startIn(name: string, folder: string, args: readonly string[]): Promise<CloudProcess> {
  const command = [process.execPath, programFile("cloud"), "--data", folder, "--port", "8894", ...args];
  const child = spawn("ip", ["netns", "exec", name, ...command], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout: "",
    stderr: "",
  }));
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (/^ {2}mail /m.test(said)) resolve();
  });
  void ended.then(({ code }) => reject(new Error(`the cloud ended with ${code}: ${said}`)));
  await promise;
  const address = /API {3}(http\S+)/.exec(said)?.[1];
  if (address === undefined) throw new Error(said);
  return new CloudProcess(child, folder, address, ended);
}

async function cutAndWrite(
  space: Namespace,
  [old, other]: readonly [CloudProcess, CloudProcess],
  { cutMs, tell }: PartitionOptions,
): Promise<Partitioned> {
  const clients: Register[] = [];
  for (let at = 0; at < registers; at++) clients.push(await Register.on(old, `writer-${at}@example.org`));
  const over = new AbortController();
  const running = clients.flatMap((client) => [
    client.write(old, "old", over.signal),
    client.write(other, "other", over.signal),
    client.readOn(other, over.signal),
  ]);
  await setTimeout(2500);
  const cutAt = performance.now();
  space.cut();
  tell("the writer is cut off");
  await setTimeout(cutMs);
  space.heal();
  tell("the network is whole again");
  await setTimeout(2500);
  over.abort();
  await Promise.all(running);
  for (const client of clients) await client.read(other);
  const calls = clients.flatMap((client) => client.calls);
  const acknowledged = calls.filter(({ kind, ended }) => kind === "write" && ended !== Infinity);
  const taken = acknowledged.filter(({ value, begun }) => value?.startsWith("other") && begun > cutAt);
  return {
    calls: calls.filter(({ ended }) => ended !== Infinity).length,
    before: acknowledged.filter(({ ended }) => ended < cutAt).length,
    afterwards: taken.length,
    unknown: calls.filter(({ kind, ended }) => kind === "write" && ended === Infinity).length,
    takeoverMs: Math.round(Math.min(...taken.map(({ ended }) => ended)) - cutAt),
    exitCode: old.child.exitCode,
    broken: notLinearizable(calls),
  };
}

/** The properties of a site of an account, as a register. */
class Register {
  readonly calls: Call[] = [];
  readonly #token: string;
  readonly #siteId: string;
  #count = 0;

  private constructor(token: string, siteId: string) {
    this.#token = token;
    this.#siteId = siteId;
  }

  static async on(cloud: CloudProcess, email: string): Promise<Register> {
    const token = await cloud.logIn(email);
    return new Register(token, await newSite(cloud, token));
  }

  /** Writes one value after the other at a process. */
  async write(cloud: CloudProcess, name: string, over: AbortSignal): Promise<void> {
    for (; !over.aborted; await setTimeout(400)) {
      const value = `${name}-${++this.#count}`;
      const begun = performance.now();
      const fields = {
        type: "SetPropertiesSiteCommand",
        siteId: this.#siteId,
        properties: { features: [value] },
      };
      const isDone = await asked(cloud, this.#token, "command", fields, patienceMs).then(
        (result) => result["error"] === undefined,
        () => false,
      );
      // An error may come after the write counts, so it says as little as no answer.
      const ended = isDone ? performance.now() : Infinity;
      this.calls.push({ register: this.#siteId, kind: "write", value, begun, ended });
    }
  }

  async readOn(cloud: CloudProcess, over: AbortSignal): Promise<void> {
    for (; !over.aborted; await setTimeout(300)) await this.read(cloud).catch(() => {});
  }

  async read(cloud: CloudProcess): Promise<void> {
    const begun = performance.now();
    const fields = { type: "GetPropertiesSiteQuery", siteId: this.#siteId };
    const { properties } = await asked(cloud, this.#token, "query", fields, patienceMs);
    if (properties === undefined) return;
    const [value = null] = (properties as { features: readonly string[] }).features;
    this.calls.push({ register: this.#siteId, kind: "read", value, begun, ended: performance.now() });
  }
}
