import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { NatsServer } from "@ledge/testkit/nats";
import { PostgresServer } from "@ledge/testkit/postgres";
import { memoryOf } from "../../process-memory.ts";
import { secondsSince } from "../../seconds-since.ts";
import { bound } from "../nodes.ts";
import { CpuShare } from "./cpu-share.ts";
import { cpuMsOf, quantile, round } from "./measured.ts";
import { SimulatedFleet } from "./simulated-fleet.ts";
import { between, type Traffic, TrafficCount } from "./traffic.ts";

export interface HubsOptions {
  readonly hubs: number;
  /** Of each hub. */
  readonly devices: number;
  /** How long (ms) the hubs have nothing to tell, then report evenly, and then as fast as they are heard. */
  readonly partMs: number;
  readonly reportsPerSecond: number;
  /** How much of a core (percent) the cloud gets; undefined for what the machine has. */
  readonly share?: number | undefined;
  readonly tell: (line: string) => void;
}

/** Processor time (ms) of each process. */
interface Cpu {
  readonly cloud: number;
  readonly database: number;
  readonly broker: number;
}

export interface HubsFound {
  readonly hubs: number;
  readonly devices: number;
  /** Until all hubs were registered, had an owner and a tunnel, and the cloud had their homes (s). */
  readonly begunS: number;
  /** Tunnels that broke until the cloud was killed. */
  readonly lost: number;
  /** Resident memory of the cloud before the first hub (MB), and what each hub of the second half adds (kB). */
  readonly emptyMB: number;
  readonly perHubKB: number;
  /** Processor time of the idle fleet, per second (ms). */
  readonly idleMsPerS: Cpu;
  /** What the idle fleet lets the cloud, its broker and its database say to each other, per second. */
  readonly idlePerS: Traffic;
  /** Connections of the cloud to the database. */
  readonly connections: number;
  readonly reports: Reports;
  /** Reports that were stored per second, each a transaction, when some hubs always had one. */
  readonly mostPerS: number;
  /** After the cloud was killed and started again; every home had reported meanwhile. */
  readonly storm: Storm;
}

/** Reports at an even rate: processor time of each (ms), what it lets be said, and how long it took until it was stored (ms). */
export interface Reports {
  readonly count: number;
  readonly cpuMs: Cpu;
  readonly said: Traffic;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Storm {
  /** From the kill until the cloud answered, half and 99 % of the hubs were back, all were, and all was stored (s). */
  readonly servingS: number;
  readonly halfS: number;
  readonly mostS: number;
  readonly allS: number;
  readonly storedS: number;
  /** Processor time of the new process and the database until then, for each hub (ms). */
  readonly cpuMsPerHub: Omit<Cpu, "broker">;
  /** What was in the way of a tunnel, how often. */
  readonly problems: Readonly<Record<string, number>>;
  /** Hubs without a tunnel at the end. */
  readonly away: number;
}

/** How many hubs report as fast as they are heard. */
const hurrying = 256;

/** Lets hubs of this process live with a cloud of its own, and measures what that takes. */
export async function tryHubs(options: HubsOptions): Promise<HubsFound> {
  const root = temporaryFolder();
  const [port, monitor] = [await freePort(), await freePort()];
  const [database, broker] = await Promise.all([
    PostgresServer.start(),
    NatsServer.start("-m", `${monitor}`),
  ]);
  const traffic = await TrafficCount.of(database, monitor);
  const config = join(root.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ issuer: "fleet", trustedProxies: ["127.0.0.0/8"] }));
  const args = ["--config", config, "--store", database.url(), "--bus", broker.url(), "--port", `${port}`];
  const start = (): Promise<CloudProcess> => CloudProcess.startBy(bound, join(root.path, "cloud"), ...args);
  const share = options.share === undefined ? undefined : new CpuShare(options.share);
  const trial = new Trial(options, { database, broker, traffic, start }, share);
  try {
    return await trial.run();
  } finally {
    await trial.end();
    share?.remove();
    await traffic.end();
    await Promise.all([database.remove(), broker.kill()]);
    root.remove();
  }
}

interface Servers {
  readonly database: PostgresServer;
  readonly broker: NatsServer;
  readonly traffic: TrafficCount;
  readonly start: () => Promise<CloudProcess>;
}

class Trial {
  readonly #options: HubsOptions;
  readonly #servers: Servers;
  readonly #fleet: SimulatedFleet;
  readonly #share: CpuShare | undefined;
  #cloud: CloudProcess | undefined;

  constructor(options: HubsOptions, servers: Servers, share: CpuShare | undefined) {
    this.#options = options;
    this.#servers = servers;
    this.#share = share;
    this.#fleet = new SimulatedFleet(options.hubs, options.devices);
  }

  async run(): Promise<HubsFound> {
    const { hubs, devices, partMs, tell } = this.#options;
    const cloud = await this.#start();
    const empty = this.#memory();
    let half = empty;
    const began = performance.now();
    // The first half also warms the process up.
    await this.#fleet.begin(cloud.address, () => (half = this.#memory()));
    await this.#fleet.told();
    const begunS = secondsSince(began);
    tell(`${hubs} hubs are there after ${begunS} s`);

    const { traffic } = this.#servers;
    const saidBefore = await traffic.now();
    const idleMs = await this.#spent(() => setTimeout(partMs));
    const idleMsPerS = each(idleMs, partMs / 1000);
    const idlePerS = between(saidBefore, await traffic.now(), partMs / 1000);
    const connections = await traffic.connections();
    const perHubKB = round((this.#memory() - half) / (hubs - Math.floor(hubs / 2)) / 1000, 1);
    tell(
      `idle: ${perHubKB} kB a hub, ${JSON.stringify(idleMsPerS)} ms a second, ${JSON.stringify(idlePerS)}`,
    );
    const reports = await this.#reports(idleMs);
    tell(`reports: ${JSON.stringify(reports)}`);
    const mostPerS = round((await this.#fleet.hurry(hurrying, partMs)) / (partMs / 1000));
    await this.#fleet.told();
    const { lost } = this.#fleet;
    tell(`at most ${mostPerS} reports a second; ${lost} tunnels broke, ${JSON.stringify(this.#problems)}`);
    const storm = await this.#storm();
    tell(`storm: ${JSON.stringify(storm)}`);
    const emptyMB = round(empty / 1e6);
    const start = { hubs, devices, begunS, lost, emptyMB, perHubKB, connections };
    return { ...start, idleMsPerS, idlePerS, reports, mostPerS, storm };
  }

  /** @param idleMs what the idle fleet takes in as long a time */
  async #reports(idleMs: Cpu): Promise<Reports> {
    const { reportsPerSecond, partMs } = this.#options;
    const { lags } = this.#fleet;
    lags.length = 0;
    let count = 0;
    const before = await this.#servers.traffic.now();
    const whole = await this.#spent(async () => {
      count = await this.#fleet.report(reportsPerSecond, partMs);
      await this.#fleet.told();
    });
    const said = between(before, await this.#servers.traffic.now(), count);
    const lagMs = (part: number): number => round(quantile(lags, part) ?? 0, 1);
    return { count, cpuMs: each(less(whole, idleMs), count), said, p50Ms: lagMs(0.5), p99Ms: lagMs(0.99) };
  }

  async #storm(): Promise<Storm> {
    const fleet = this.#fleet;
    const { hubs } = this.#options;
    fleet.problems.clear();
    const began = performance.now();
    const before = this.#cpu();
    await this.#cloud?.kill();
    for (const home of fleet.homes) home.report();
    await this.#start();
    const servingS = secondsSince(began);
    const reached: number[] = [];
    for (const part of [0.5, 0.99, 1]) {
      await fleet.reach(Math.ceil(hubs * part));
      reached.push(secondsSince(began));
    }
    const [halfS = 0, mostS = 0, allS = 0] = reached;
    await fleet.told();
    const storedS = secondsSince(began);
    const { cloud, database } = each(less(this.#cpu(), { ...before, cloud: 0 }), hubs);
    const problems = this.#problems;
    const away = hubs - fleet.connected;
    return { servingS, halfS, mostS, allS, storedS, cpuMsPerHub: { cloud, database }, problems, away };
  }

  async #start(): Promise<CloudProcess> {
    const cloud = await this.#servers.start();
    this.#cloud = cloud;
    this.#share?.take(this.#pid);
    return cloud;
  }

  get #problems(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#fleet.problems);
  }

  async end(): Promise<void> {
    await this.#fleet.end();
    await this.#cloud?.kill();
  }

  get #pid(): number {
    return this.#cloud?.child.pid ?? 0;
  }

  #memory(): number {
    return memoryOf(this.#pid, "VmRSS");
  }

  #cpu(): Cpu {
    const { database, broker } = this.#servers;
    return { cloud: cpuMsOf(this.#pid), database: cpuMsOf(database.pid), broker: cpuMsOf(broker.pid) };
  }

  /** Returns the processor time that an action takes. */
  async #spent(action: () => Promise<unknown>): Promise<Cpu> {
    const before = this.#cpu();
    await action();
    return less(this.#cpu(), before);
  }
}

function less(one: Cpu, other: Cpu): Cpu {
  return {
    cloud: one.cloud - other.cloud,
    database: one.database - other.database,
    broker: one.broker - other.broker,
  };
}

function each({ cloud, database, broker }: Cpu, count: number): Cpu {
  return {
    cloud: round(cloud / count, 2),
    database: round(database / count, 2),
    broker: round(broker / count, 2),
  };
}
