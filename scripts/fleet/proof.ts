import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openPostgresLog } from "@ledge/fleet-postgres";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";

export interface ProofOptions {
  /** How often the process that writes is killed. */
  readonly kills: number;
  /** Accounts that write at the same time, each one request after the other. */
  readonly writers: number;
  readonly tell: (line: string) => void;
}

export interface Proof {
  readonly kills: number;
  /** Writes that were answered as stored. */
  readonly acknowledged: number;
  /** Acknowledged writes that the last process does not know. */
  readonly lost: number;
  /** From a kill to the first write that another process has stored (ms), sorted. */
  readonly takeoverMs: readonly number[];
  /** Whether the control, two writers of which none is fenced, was seen to be damaged. */
  readonly controlCaught: boolean;
}

/** Kills the process that writes again and again, while clients write, and looks for what is missing at the end. */
export async function prove(options: ProofOptions): Promise<Proof> {
  const root = temporaryFolder();
  const [database, broker] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
  const nodes = new Nodes(root.path, ["--store", database.url(), "--bus", broker.url()]);
  try {
    const found = await killAndWrite(nodes, options);
    return { ...found, controlCaught: await isControlCaught(database.create("control")) };
  } finally {
    await nodes.kill();
    await Promise.all([database.remove(), broker.kill()]);
    root.remove();
  }
}

/** The process that writes, and one that waits for it to end. */
class Nodes {
  readonly #root: string;
  readonly #args: readonly string[];
  #count = 0;
  #serving: CloudProcess | undefined;
  #next: Promise<CloudProcess> | undefined;

  constructor(root: string, args: readonly string[]) {
    this.#root = root;
    this.#args = args;
  }

  /** The process that clients are to ask; undefined while there is none. */
  get serving(): CloudProcess | undefined {
    return this.#serving;
  }

  async begin(): Promise<CloudProcess> {
    const first = await this.#start();
    this.#serving = first;
    await this.startNext();
    return first;
  }

  /** Kills the process that writes, and resolves with the next one when that has become the writer. */
  async killWriter(): Promise<void> {
    const killed = this.#serving;
    this.#serving = undefined;
    await killed?.kill();
    this.#serving = await this.#next;
  }

  /** Starts a process that waits for the one that writes. */
  async startNext(): Promise<void> {
    const port = await freePort();
    this.#next = this.#start("--port", `${port}`);
    // Listens, and so soon waits.
    while (
      !(await fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      ))
    )
      await setTimeout(100);
  }

  async kill(): Promise<void> {
    await this.#serving?.kill();
    const next = await this.#next;
    await next?.kill();
  }

  /** Resolves when the process writes. All have the secret key of the first. */
  async #start(...args: readonly string[]): Promise<CloudProcess> {
    const folder = join(this.#root, `node-${++this.#count}`);
    const first = join(this.#root, "node-1");
    if (folder !== first) {
      mkdirSync(folder, { mode: 0o700 });
      copyFileSync(join(first, "secret-key"), join(folder, "secret-key"));
    }
    return CloudProcess.start(folder, ...this.#args, ...args);
  }
}

async function killAndWrite(
  nodes: Nodes,
  { kills, writers, tell }: ProofOptions,
): Promise<Omit<Proof, "controlCaught">> {
  const first = await nodes.begin();
  const clients: Client[] = [];
  for (let at = 0; at < writers; at++) clients.push(await Client.on(first, `writer-${at}@example.org`));
  const over = new AbortController();
  const writing = clients.map((client) => client.write(nodes, over.signal));
  const takeoverMs: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await setTimeout(1000);
    const begun = performance.now();
    await nodes.killWriter();
    const stored = clients[0]?.acknowledged.length ?? 0;
    while ((clients[0]?.acknowledged.length ?? 0) === stored) await setTimeout(20);
    takeoverMs.push(Math.round(performance.now() - begun));
    await nodes.startNext();
    tell(`kill ${kill}: a write was stored after ${takeoverMs.at(-1)} ms`);
  }
  over.abort();
  await Promise.all(writing);
  const last = nodes.serving;
  if (last === undefined) throw new Error("no process is left");
  let [acknowledged, lost] = [0, 0];
  for (const client of clients) {
    const known = await client.roomsOn(last);
    acknowledged += client.acknowledged.length;
    lost += client.acknowledged.filter((name) => !known.has(name)).length;
  }
  return { kills, acknowledged, lost, takeoverMs: takeoverMs.toSorted((one, other) => one - other) };
}

/** An account that makes one entity of its site after the other. */
class Client {
  readonly acknowledged: string[] = [];
  readonly #token: string;
  readonly #siteId: string;

  private constructor(token: string, siteId: string) {
    this.#token = token;
    this.#siteId = siteId;
  }

  static async on(cloud: CloudProcess, email: string): Promise<Client> {
    const token = await cloud.logIn(email);
    const { data } = await asked(cloud, token, "query", { type: "ListSubscriptionQuery" });
    const [first] = data as { subscriptionId: string }[];
    if (first === undefined) throw new Error(`${email} has no subscription`);
    const { subscriptionId } = first;
    await asked(cloud, token, "command", {
      type: "CreateResourceGroupCommand",
      subscriptionId,
      name: "homes",
    });
    const { resource } = await asked(cloud, token, "command", {
      type: "CreateResourceCommand",
      subscriptionId,
      resourceGroupName: "homes",
      name: "villa",
      provider: "Vendor.Sites",
    });
    return new Client(token, (resource as { properties: { siteId: string } }).properties.siteId);
  }

  /** A write whose answer did not come is tried again; when it is there by then, it was stored. */
  async write(nodes: Nodes, over: AbortSignal): Promise<void> {
    for (let count = 1; !over.aborted;) {
      const name = `room-${count}`;
      const cloud = nodes.serving;
      const entity = { type: "room", name };
      const fields = { type: "CreateEntitySiteCommand", siteId: this.#siteId, entity };
      const error =
        cloud === undefined
          ? "away"
          : await asked(cloud, this.#token, "command", fields).then(
              (result) => (result["error"] as { code: string } | undefined)?.code,
              () => "away",
            );
      if (error === undefined || error === "E_CONFLICT") {
        this.acknowledged.push(name);
        count += 1;
      }
      // 600 requests a minute are allowed.
      await setTimeout(110);
    }
  }

  async roomsOn(cloud: CloudProcess): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (let next: string | undefined | null; next !== null;) {
      const fields = {
        type: "FindEntitiesSiteQuery",
        siteId: this.#siteId,
        globPattern: "*",
        pageSize: 2000,
      };
      const page = await asked(cloud, this.#token, "query", {
        ...fields,
        ...(next !== undefined && { next }),
      });
      const { data, links } = page as { data: { name: string }[]; links: { next: string | null } };
      for (const { name } of data) names.add(name);
      ({ next } = links);
    }
    return names;
  }
}

async function asked(
  cloud: CloudProcess,
  token: string,
  kind: "command" | "query",
  fields: object,
): Promise<Record<string, unknown>> {
  const method = kind === "command" ? "PUT" : "POST";
  const reply = await cloud.call(method, `/graph/${kind}`, token, { [kind]: fields });
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { result: Record<string, unknown> }).result;
}

/** Lets two writers append without fences. @returns whether verifying the log shows it */
async function isControlCaught(url: string): Promise<boolean> {
  const logs = [await openPostgresLog({ url }), await openPostgresLog({ url })];
  try {
    for (const [at, log] of logs.entries()) {
      const event = { type: "AccountAdded", id: `a${at}`, version: 1, origin: "system", depth: 0 } as const;
      await log.append({ timestamp: 10 + at, events: [event] });
    }
    logs.push(await openPostgresLog({ url }));
    return (logs.at(-1)?.verify().damage.length ?? 0) > 0;
  } finally {
    for (const log of logs) await log.close();
  }
}
