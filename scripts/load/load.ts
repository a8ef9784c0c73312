// Runs a home full of clients for some time and measures it; docs/load.md.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Device, limits } from "@ledge/model";
import { Caller } from "./caller.ts";
import { LoadClient } from "./client.ts";
import { furnish, type Lamp } from "./furnish.ts";
import { LoadedHub } from "./hub.ts";
import { IdleConnections } from "./idle.ts";
import { figureIn, type Latency, slopePerHour, Tally } from "./tally.ts";

export interface LoadOptions {
  readonly seconds: number;
  readonly clients: number;
  readonly pollEveryMs: number;
  readonly commandsPerSecond: number;
  readonly reportsPerSecond: number;
  readonly idle: number;
  readonly devices: number;
  readonly tell: (line: string) => void;
}

/** The result of a run. Memory is the hub's own (MB), times are ms. */
export interface LoadResult {
  readonly seconds: number;
  readonly clients: number;
  readonly idle: number;
  readonly requests: number;
  readonly errors: number;
  readonly latency: Readonly<Record<string, Latency>>;
  readonly commands: number;
  readonly reports: number;
  readonly events: number;
  readonly reopened: number;
  readonly loopLagP99: number;
  readonly memoryStart: number;
  readonly memoryEnd: number;
  readonly memorySlopePerHour: number;
  readonly childRestarts: number;
  readonly reportsLost: number;
  /** The first few problems, in words. */
  readonly problems: readonly string[];
}

const memorySamples = 60;
/** The part of a run before memory is measured, because code compiled and cached once does not count as growth. */
const warmUpShare = 0.2;
const settleTries = 40;

/** Runs a hub under load and stops everything again. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { devices, reportsPerSecond } = options;
  const hub = await LoadedHub.start({ sim: { seed: 1, devices, reportsPerSecond } });
  try {
    return await new Load(options, hub).run();
  } finally {
    await hub.stop();
  }
}

class Load {
  readonly #options: LoadOptions;
  readonly #hub: LoadedHub;
  readonly #tally: Tally = new Tally();
  #clients: readonly LoadClient[] = [];
  #owner: Caller | undefined;
  #commands = 0;

  constructor(options: LoadOptions, hub: LoadedHub) {
    this.#options = options;
    this.#hub = hub;
  }

  async run(): Promise<LoadResult> {
    const { seconds, clients, idle, tell } = this.#options;
    const owner = new Caller(this.#hub.port, await this.#hub.key(), 0);
    this.#owner = owner;
    tell("waiting for the devices");
    const lamps = await this.#lamps(owner);
    this.#clients = await this.#makeClients();
    tell("furnishing the home");
    await furnish(this.#hub, owner, lamps);
    const connections = new IdleConnections(this.#hub.port, idle);
    const before = await this.#metrics();
    tell(`${clients} clients, ${idle} idle connections, ${seconds} s`);
    const memory: [number, number][] = [];
    const until = performance.now() + seconds * 1000;
    const going = (): boolean => performance.now() < until && this.#hub.runs;
    await Promise.all([
      ...this.#clients.map((client, index) => this.#keepPolling(client, index, going)),
      this.#keepCommanding(lamps, going),
      this.#keepWeighing(memory, going),
    ]);
    const after = await this.#metrics();
    const { reopened } = connections;
    connections.close();
    await this.#compare();
    for (const { caller } of this.#clients) caller.close();
    owner.close();
    return this.#result(before, after, memory, reopened);
  }

  #result(before: string, after: string, memory: [number, number][], reopened: number): LoadResult {
    const { seconds, clients, idle } = this.#options;
    const grown = (name: string): number => figureIn(after, name) - figureIn(before, name);
    const warm = memory.slice(Math.floor(memory.length * warmUpShare));
    const megabytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;
    return {
      seconds,
      clients,
      idle,
      requests: this.#tally.requests,
      errors: this.#tally.errors,
      latency: this.#tally.latencies(),
      commands: this.#commands,
      reports: grown("ledge_reports_total"),
      events: grown("ledge_events_total"),
      reopened,
      loopLagP99: Math.round(figureIn(after, "ledge_loop_delay_seconds", '"0.99"') * 1e4) / 10,
      memoryStart: megabytes(warm[0]?.[1] ?? 0),
      memoryEnd: megabytes(warm.at(-1)?.[1] ?? 0),
      memorySlopePerHour: megabytes(slopePerHour(warm)),
      childRestarts: grown("ledge_adapter_failures_total"),
      reportsLost: grown("ledge_reports_dropped_total"),
      problems: this.#tally.problems,
    };
  }

  /** Returns the lamps and which of them are out of reach, once all devices are known. */
  async #lamps(owner: Caller): Promise<readonly Lamp[]> {
    for (;;) {
      const { status, text } = await owner.call("GET", "/cc/1.14/devices");
      assert.equal(status, 200, text);
      const devices = Object.values(JSON.parse(text) as Record<string, Device>);
      const lamps = devices
        .filter(({ type }) => type === "LIGHT")
        .map(({ id, state }) => ({ id, reachable: state["reachable"] !== false }));
      const isTold = lamps.some(({ reachable }) => !reachable);
      if (devices.length >= this.#options.devices && isTold) return lamps;
      assert.ok(this.#hub.runs, "the hub has ended");
      await sleep(500);
    }
  }

  async #makeClients(): Promise<LoadClient[]> {
    const clients: LoadClient[] = [];
    for (let number = 1; number <= this.#options.clients; number += 1) {
      const key = await this.#hub.key(`client${number}@example.org`);
      clients.push(new LoadClient(new Caller(this.#hub.port, key, number), this.#tally));
    }
    return clients;
  }

  async #metrics(): Promise<string> {
    const { status, text } = await (this.#owner as Caller).call("GET", "/metrics");
    assert.equal(status, 200, text);
    return text;
  }

  async #keepPolling(client: LoadClient, index: number, going: () => boolean): Promise<void> {
    const { pollEveryMs, clients } = this.#options;
    // Spread the clients evenly, so that they do not poll in step.
    await sleep((pollEveryMs * index) / clients);
    while (going()) {
      await client.poll();
      await sleep(pollEveryMs);
    }
  }

  /**
   * Switches lamps at an even rate, however long the answers take. What was missed while this process stood still is not made
   * up for: a key may call so often in a second, and no more.
   */
  async #keepCommanding(lamps: readonly Lamp[], going: () => boolean): Promise<void> {
    const { commandsPerSecond } = this.#options;
    const answers: Promise<void>[] = [];
    let [owed, last] = [0, performance.now()];
    while (going() && lamps.length > 0) {
      const now = performance.now();
      owed += (Math.min(now - last, 1000) / 1000) * commandsPerSecond;
      last = now;
      for (; this.#commands < owed; this.#commands += 1) answers.push(this.#command(lamps));
      await sleep(Math.min(1000 / commandsPerSecond, 100));
    }
    await Promise.all(answers);
  }

  #command(lamps: readonly Lamp[]): Promise<void> {
    const number = this.#commands;
    const id = lamps[number % lamps.length]?.id;
    const isOn = Math.floor(number / lamps.length) % 2 === 0;
    const { caller } = this.#clients[number % this.#clients.length] as LoadClient;
    return this.#tally.take("command", async () => {
      const body = [{ type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id }];
      const { status, text, ms } = await caller.call("PUT", "/cc/1.14/devices/command", body);
      assert.equal(status, 200, text);
      return ms;
    });
  }

  async #keepWeighing(memory: [number, number][], going: () => boolean): Promise<void> {
    const everyMs = Math.max(500, (this.#options.seconds * 1000) / memorySamples);
    while (going()) {
      memory.push([performance.now(), this.#hub.ownBytes()]);
      await sleep(everyMs);
    }
  }

  /** Stops all changes and compares the home as every client knows it with a full poll. */
  async #compare(): Promise<void> {
    if (!this.#hub.runs) {
      this.#tally.fail("the hub has ended");
      return;
    }
    this.#hub.freezeAdapters();
    await sleep(limits.telemetryWindowMs * 2);
    const fresh = await this.#atRest();
    for (const [index, client] of this.#clients.entries()) {
      try {
        assert.deepEqual(client.known, fresh.known);
      } catch (error) {
        this.#tally.fail(`client ${index} knows another home: ${(error as Error).message.slice(0, 500)}`);
      }
    }
  }

  /** Polls until nothing changes: reports may still be under way. Returns a client that loaded the home at that moment. */
  async #atRest(): Promise<LoadClient> {
    for (let left = settleTries; ; left -= 1) {
      const hasNews = await this.#pollAll();
      const fresh = new LoadClient(this.#owner as Caller, this.#tally);
      await fresh.poll("check");
      const isRest = !hasNews && this.#clients.every(({ cursor }) => cursor === fresh.cursor);
      if (left === 0) this.#tally.fail("polls keep returning changes");
      if (isRest || left === 0) return fresh;
    }
  }

  /** Polls with all clients. Returns whether any had changes. */
  async #pollAll(): Promise<boolean> {
    const news = await Promise.all(this.#clients.map((client) => client.poll("check")));
    return news.includes(true);
  }
}
