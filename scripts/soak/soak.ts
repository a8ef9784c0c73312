// Runs a hub with radios in trouble for some time and measures it; docs/soak.md.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Device } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import { Caller } from "../load/caller.ts";
import { LoadedHub } from "../load/hub.ts";
import { memoryOf } from "../process-memory.ts";
import { figureIn, slopePerHour } from "../load/tally.ts";
import { pressesIn } from "./presses.ts";
import type { SoakLamp, SoakRadio, SoakRemote, Trouble } from "./radio.ts";
import { zigbeeRadio } from "./zigbee.ts";
import { zwaveRadio } from "./zwave.ts";

export interface SoakOptions {
  readonly ms: number;
  /** The number of devices at each radio: half lamps and half remotes, with at least two remotes. */
  readonly devices: number;
  readonly seed: number;
  /** The pause (ms) between two troubles. */
  readonly pauseMs: number;
  readonly tell: (line: string) => void;
}

/** The result of a run. Memory is the resident memory (MB) of the hub and of its adapters. */
export interface SoakResult {
  readonly minutes: number;
  readonly seed: number;
  readonly devices: number;
  readonly troubles: number;
  /** Presses while the radio worked, and how many of them are missing in the log. */
  readonly presses: number;
  readonly lost: number;
  /** Presses during trouble, and how many of them are in the log nevertheless. */
  readonly pressesInTrouble: number;
  readonly heardInTrouble: number;
  readonly commands: number;
  /** Lamps whose state the hub has wrong after the end of all trouble, plus presses that the log has twice. */
  readonly differing: number;
  readonly hubKills: number;
  readonly adapterRestarts: number;
  readonly memoryHub: number;
  readonly memoryAdapters: number;
  readonly memorySlopePerHour: number;
}

/** How long to wait for a recovery. */
const patienceMs = 120_000;

/** Runs the soak and stops everything again. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { devices, seed } = options;
  const radios = [await zigbeeRadio(devices, seed), await zwaveRadio(devices)];
  const hub = await LoadedHub.start(
    Object.fromEntries(radios.map(({ protocol, settings }) => [protocol, settings])),
  );
  try {
    return await new Soak(options, { radios, hub }).run();
  } finally {
    await hub.stop();
    for (const radio of radios) await radio.close();
  }
}

interface Rig {
  readonly radios: readonly SoakRadio[];
  readonly hub: LoadedHub;
}

class Soak {
  readonly #options: SoakOptions;
  readonly #rig: Rig;
  readonly #random;
  readonly #troublesByName: Readonly<Record<string, Trouble>>;
  #lamps: readonly SoakLamp[] = [];
  #remotes: readonly SoakRemote[] = [];
  #caller: Caller | undefined;
  /**
   * Some remotes are pressed only while all is well and the others only in trouble, so that the log tells which
   * presses were heard.
   */
  #isWell = true;
  #troubles = 0;
  #hubKills = 0;
  #failures = 0;
  #presses = 0;
  #pressesInTrouble = 0;
  #commands = 0;

  constructor(options: SoakOptions, rig: Rig) {
    this.#options = options;
    this.#rig = rig;
    this.#random = seededRandom(options.seed);
    const { hub, radios } = rig;
    const ofRadios = radios.flatMap(({ protocol, troubles }) =>
      Object.entries(troubles).map(([name, trouble]) => [`${protocol}: ${name}`, trouble] as const),
    );
    this.#troublesByName = {
      ...Object.fromEntries(ofRadios),
      "the adapters are killed": async () => hub.killAdapters(),
      "the hub is killed": async () => {
        this.#hubKills += 1;
        await hub.kill();
        await hub.restart();
      },
    };
  }

  async run(): Promise<SoakResult> {
    const { ms, tell } = this.#options;
    const { hub } = this.#rig;
    this.#caller = new Caller(hub.port, await hub.key(), 0);
    await this.#works();
    tell("pairing");
    for (const radio of this.#rig.radios) {
      const { lamps, remotes } = await radio.pair((...asked) => this.#call(...asked));
      this.#lamps = [...this.#lamps, ...lamps];
      this.#remotes = [...this.#remotes, ...remotes];
    }
    const began = performance.now();
    const until = began + ms;
    const going = (): boolean => performance.now() < until;
    const memory: [number, number][] = [];
    await Promise.all([
      this.#keepTroubling(going),
      this.#keepPressing(going),
      this.#keepSwitching(going),
      this.#keepWeighing(memory, going),
    ]);
    tell("waiting until all is well");
    await this.#works();
    const differing = await this.#differing();
    const [memoryHub, memoryAdapters] = [residentMb(hub.pid), ofAdapters(hub)];
    await this.#count();
    this.#caller.close();
    await hub.end();
    const logged = await pressesIn(hub.dataFolder);
    const heardOf = (isWell: boolean): number =>
      this.#pressedWhen(isWell).reduce((sum, { id }) => sum + (logged.get(id) ?? 0), 0);
    const [heard, heardInTrouble] = [heardOf(true), heardOf(false)];
    const twice = Math.max(0, heard - this.#presses) + Math.max(0, heardInTrouble - this.#pressesInTrouble);
    return {
      minutes: Math.round((performance.now() - began) / 6000) / 10,
      seed: this.#options.seed,
      devices: this.#lamps.length + this.#remotes.length,
      troubles: this.#troubles,
      presses: this.#presses,
      lost: Math.max(0, this.#presses - heard),
      pressesInTrouble: this.#pressesInTrouble,
      heardInTrouble,
      commands: this.#commands,
      differing: differing + twice,
      hubKills: this.#hubKills,
      adapterRestarts: this.#failures,
      memoryHub,
      memoryAdapters,
      memorySlopePerHour: Math.round(slopePerHour(memory) * 10) / 10,
    };
  }

  #pressedWhen(isWell: boolean): readonly SoakRemote[] {
    return this.#remotes.filter((_, index) => (index % 2 === 0) === isWell);
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await (this.#caller as Caller).call(method, `/cc/1.14${path}`, body);
    assert.equal(status, 200, text);
    return JSON.parse(text) as unknown;
  }

  /** Resolves when the radios work and every paired device is reachable. */
  async #works(): Promise<void> {
    const began = performance.now();
    for (;;) {
      const problem = await this.#problem().catch((error: unknown) => (error as Error).message);
      if (problem === undefined) return;
      assert.ok(this.#rig.hub.runs, "the hub has ended");
      assert.ok(performance.now() - began < patienceMs, problem);
      await sleep(250);
    }
  }

  async #problem(): Promise<string | undefined> {
    for (const radio of this.#rig.radios) {
      if (!(await radio.works((...asked) => this.#call(...asked)))) return `no ${radio.protocol} radio`;
    }
    const known = (await this.#call("GET", "/devices")) as Record<string, Device>;
    const away = [...this.#lamps, ...this.#remotes].filter(
      ({ id }) => known[id]?.state["reachable"] !== true,
    );
    const names = away.map(({ id }) => `${known[id]?.manufacturer} ${known[id]?.type} ${id}`);
    return away.length === 0 ? undefined : `out of reach: ${names.join()}`;
  }

  async #keepTroubling(going: () => boolean): Promise<void> {
    while (going()) {
      const round = Object.entries(this.#troublesByName).toSorted(() => this.#random(3) - 1);
      for (const [name, trouble] of round) {
        if (!going()) break;
        this.#options.tell(name);
        this.#isWell = false;
        await this.#count();
        // By now everything that was in flight when the trouble began has arrived.
        await sleep(1000);
        await trouble(this.#random);
        await this.#works();
        this.#isWell = true;
        this.#troubles += 1;
        await sleep(this.#options.pauseMs);
      }
    }
  }

  async #keepPressing(going: () => boolean): Promise<void> {
    for (let turn = 0; going(); turn += 1) {
      const remotes = this.#pressedWhen(this.#isWell);
      if (this.#isWell) this.#presses += 1;
      else this.#pressesInTrouble += 1;
      remotes[turn % remotes.length]?.press();
      await sleep(200);
    }
  }

  async #keepSwitching(going: () => boolean): Promise<void> {
    for (let turn = 0; going(); turn += 1) {
      const lamp = this.#lamps[turn % this.#lamps.length] ?? assert.fail("there is no lamp");
      const isOn = Math.floor(turn / this.#lamps.length) % 2 === 0;
      const list = [{ type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: lamp.id }];
      await this.#call("PUT", "/devices/command", list).catch(() => undefined);
      this.#commands += 1;
      await sleep(250);
    }
  }

  async #keepWeighing(memory: [number, number][], going: () => boolean): Promise<void> {
    while (going()) {
      await sleep(Math.min(5000, this.#options.ms / 20));
      const { hub, radios } = this.#rig;
      if (!hub.runs || !this.#isWell || hub.adapters().length < radios.length) continue;
      memory.push([performance.now(), residentMb(hub.pid) + ofAdapters(hub)]);
    }
  }

  /** Returns how many lamps the hub has wrong, once it had time to learn their state. Tells which. */
  async #differing(): Promise<number> {
    const began = performance.now();
    for (;;) {
      const known = (await this.#call("GET", "/devices")) as Record<string, Device>;
      const others = this.#lamps.filter((lamp) => {
        return known[lamp.id]?.state["isOn"] !== lamp.isOn();
      });
      if (others.length === 0) return 0;
      if (performance.now() - began > patienceMs) {
        for (const lamp of others)
          this.#options.tell(
            `differs: ${known[lamp.id]?.name} ${lamp.id}, really ${lamp.isOn() ? "on" : "off"}`,
          );
        return others.length;
      }
      await sleep(500);
    }
  }

  /** Adds the failures counted so far, because a killed hub starts counting at zero. */
  async #count(): Promise<void> {
    const { text } = await (this.#caller as Caller).call("GET", "/metrics");
    const now = figureIn(text, "ledge_adapter_failures_total");
    this.#failures = Math.max(this.#failures, now);
  }
}

function residentMb(pid: number): number {
  return Math.round((10 * memoryOf(pid, "VmRSS")) / 2 ** 20) / 10;
}

function ofAdapters(hub: LoadedHub): number {
  return hub.adapters().reduce((sum, pid) => sum + residentMb(pid), 0);
}
