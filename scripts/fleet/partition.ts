import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { CutNetwork, type Place } from "./cut-network.ts";
import { notLinearizable } from "./linearizable.ts";
import { Register, type Side } from "./register.ts";

export interface PartitionOptions {
  /**
   * How long (ms) the broker, a process that follows and the one that writes are cut off, at least: each until clients have
   * had the answers that are possible without it. Clients reach all processes.
   */
  readonly brokerMs: number;
  readonly followerMs: number;
  readonly writerMs: number;
  readonly tell: (line: string) => void;
}

/** Calls that were answered while something was cut off. */
export interface DuringCut {
  /** Writes that the process on this side stored, and those that the other one did. */
  readonly stored: number;
  readonly storedThere: number;
  /** Reads at the process that may be cut off. */
  readonly readThere: number;
}

export interface Partitioned {
  /** Calls that were answered. */
  readonly calls: number;
  /** Writes without an answer. */
  readonly unknown: number;
  readonly withoutBroker: DuringCut;
  readonly withoutFollower: DuringCut;
  readonly withoutWriter: DuringCut;
  /** From the end of the cut until the process that follows showed all again (ms). */
  readonly followerHealedMs: number;
  /** From the cut of the writer to the first write that the other process stored (ms). */
  readonly takeoverMs: number;
  /** How the writer that was cut off ended; null while it runs. */
  readonly exitCode: number | null;
  /** Registers whose history no order explains. */
  readonly broken: readonly string[];
}

const registers = 3;
const restMs = 1000;

/**
 * Cuts the broker off, then the process that follows, and then the one that writes, while clients write and read at both
 * processes. Checks what they saw. Needs root.
 */
export async function partition(options: PartitionOptions): Promise<Partitioned> {
  const root = temporaryFolder();
  const network = new CutNetwork();
  const [place, brokersPlace] = [network.place({ hasClients: true }), network.place()];
  const [database, broker] = await Promise.all([
    PostgresServer.start(network.here),
    NatsServer.startAt(brokersPlace.address, brokersPlace.command),
  ]);
  const config = join(root.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ trustedProxies: [network.clients], issuer: "fleet" }));
  const store = `postgres://ledge@${network.here}/postgres`;
  const shared = ["--store", store, "--bus", broker.url(), "--config", config];
  const port = await freePort();
  const startHere = (): Promise<CloudProcess> =>
    CloudProcess.start(
      join(root.path, "here"),
      "--cluster",
      `${network.here}:0`,
      ...shared,
      "--port",
      `${port}`,
    );
  const nodes: CloudProcess[] = [];
  try {
    const here = await startHere();
    nodes.push(here);
    mkdirSync(join(root.path, "there"), { mode: 0o700 });
    copyFileSync(join(root.path, "here", "secret-key"), join(root.path, "there", "secret-key"));
    const own = ["--host", place.clients ?? "", "--cluster", `${place.address}:8895`, "--port", "8894"];
    const there = await CloudProcess.startBy(place.command, join(root.path, "there"), ...shared, ...own);
    nodes.push(there);
    const trial = new Trial(here, there, options);
    await trial.begin();
    const { brokerMs, followerMs, writerMs } = options;
    const withoutBroker = await trial.without("the broker", brokersPlace, brokerMs, [
      write,
      writeThere,
      read,
    ]);
    const withoutFollower = await trial.without("the process that follows", place, followerMs, [write, read]);
    const followerHealedMs = await trial.shown();
    await trial.pause();
    await here.stop();
    nodes.push(await startHere());
    trial.resume(nodes.at(-1) ?? here);
    const cutAt = await trial.writes(there);
    const withoutWriter = await trial.without("the process that writes", place, writerMs, [write]);
    const takeoverMs = trial.firstStored("here", cutAt);
    return {
      ...(await trial.end()),
      withoutBroker,
      withoutFollower,
      withoutWriter,
      followerHealedMs,
      takeoverMs,
      exitCode: there.child.exitCode,
    };
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all([database.remove(), broker.kill()]);
    network.remove();
    root.remove();
  }
}

const [write, writeThere, read] = [
  ["write", "here"],
  ["write", "there"],
  ["read", "there"],
] as const;

/** Clients at a process on this side, and at one on the other side of a wire that may be cut. */
class Trial {
  readonly #nodes: Record<Side, CloudProcess>;
  readonly #tell: (line: string) => void;
  readonly #clients: Register[] = [];
  readonly #over = new AbortController();
  #running: readonly Promise<void>[] = [];
  #resume: () => void = () => {};

  constructor(here: CloudProcess, there: CloudProcess, { tell }: PartitionOptions) {
    this.#nodes = { here, there };
    this.#tell = tell;
  }

  async begin(): Promise<void> {
    for (let at = 0; at < registers; at++)
      this.#clients.push(await Register.on(this.#nodes, `writer-${at}@example.org`));
    this.#running = this.#clients.flatMap((client) =>
      (["here", "there"] as const).flatMap((side) => [
        client.write(side, this.#over.signal),
        client.readOn(side, this.#over.signal),
      ]),
    );
    await setTimeout(restMs);
  }

  /**
   * Cuts a place off for a while. What the process there answers meanwhile may be old.
   * @param answers calls of which some must be answered before it is back
   */
  async without(
    what: string,
    place: Place,
    ms: number,
    answers: readonly (readonly [kind: "read" | "write", at: Side])[],
  ): Promise<DuringCut> {
    const isBroker = place.clients === undefined;
    const begun = performance.now();
    if (!isBroker) for (const client of this.#clients) client.isCut = true;
    place.cut();
    this.#tell(`${what} is cut off`);
    await setTimeout(ms);
    while (answers.some(([kind, at]) => this.#count(kind, at, begun, Infinity) === 0)) await setTimeout(100);
    place.heal();
    const ended = performance.now();
    this.#tell(`${what} is back`);
    if (isBroker) await setTimeout(restMs);
    return {
      stored: this.#count("write", "here", begun, ended),
      storedThere: this.#count("write", "there", begun, ended),
      readThere: this.#count("read", "there", begun, ended),
    };
  }

  #count(kind: "read" | "write", at: Side, begun: number, ended: number): number {
    const answers = this.#clients.flatMap((client) => client.answers);
    return answers.filter(
      (each) => each.kind === kind && each.side === at && each.begun >= begun && each.ended <= ended,
    ).length;
  }

  /** Waits until the process there shows all that is stored. @returns how long that took (ms) */
  async shown(): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const seconds = /^ledge_behind_seconds (\S+)$/m.exec(await this.#nodes.there.metrics())?.[1];
      const ms = performance.now() - begun;
      if (Number(seconds) * 1000 < ms) {
        for (const client of this.#clients) client.isCut = false;
        await setTimeout(restMs);
        return Math.round(ms);
      }
      await setTimeout(50);
    }
  }

  /** Ends the calls under way, and begins no more until `resume`. */
  async pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    await Promise.all(this.#clients.map((client) => client.rest(promise)));
  }

  resume(here: CloudProcess): void {
    this.#nodes.here = here;
    this.#resume();
  }

  /** Waits until a process writes, and a little longer. @returns the time */
  async writes(node: CloudProcess): Promise<number> {
    while (!/^ledge_writing 1$/m.test(await node.metrics())) await setTimeout(100);
    await setTimeout(restMs);
    return performance.now();
  }

  /** Returns how long after a moment the first write was stored that began since (ms). */
  firstStored(at: Side, since: number): number {
    const ends = this.#clients
      .flatMap((client) => client.answers)
      .filter(({ kind, side, begun }) => kind === "write" && side === at && begun >= since)
      .map(({ ended }) => ended);
    return Math.round(Math.min(...ends) - since);
  }

  async end(): Promise<Pick<Partitioned, "calls" | "unknown" | "broken">> {
    await setTimeout(restMs);
    this.#over.abort();
    await Promise.all(this.#running);
    for (const client of this.#clients) await client.read("here");
    const calls = this.#clients.flatMap((client) => client.calls);
    return {
      calls: calls.filter(({ ended }) => ended !== Infinity).length,
      unknown: calls.filter(({ kind, ended }) => kind === "write" && ended === Infinity).length,
      broken: notLinearizable(calls),
    };
  }
}
