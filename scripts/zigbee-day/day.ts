import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdapter } from "@ledge/adapter-zigbee";
import type { Adapter, AdapterHost, FoundDevice, Report } from "@ledge/port";
import { collectGarbage, seededRandom } from "@ledge/testkit";
import {
  devices,
  realTime,
  serveStick,
  SimulatedAir,
  Stick,
  type Clock,
  type Ieee,
} from "@ledge/testkit/zigbee";

const minuteMs = 60_000;
/** Every seventh device is a lamp, the others are on doors. */
const lampEvery = 7;
/** How often (minutes) a door opens or closes, and a lamp is commanded. */
const moveEvery = 5;
const commandEvery = 10;
/** How long the last reports may take (ms of the machine). */
const lastMs = 5000;

export interface DayOptions {
  readonly devices: number;
  /** Minutes of the simulated day. */
  readonly minutes: number;
  /** How many times faster than the machine's clock the day passes. */
  readonly factor: number;
  readonly seed: number;
}

type Lamp = ReturnType<typeof devices.unknownLamp>;
type Door = ReturnType<typeof devices.contact>;

/** What a day came to. */
export interface Day {
  readonly moves: number;
  readonly movesLost: number;
  readonly commands: number;
  readonly commandsLost: number;
  /** The heap after a quarter of the day and at its end, MB. */
  readonly heapMb: readonly [early: number, end: number];
}

/**
 * Lets so many devices report to the Zigbee adapter through one simulated stick for a day, and commands its lamps.
 * Every door that moves must be reported, every command carried out.
 */
export async function zigbeeDay(options: DayOptions): Promise<Day> {
  const home = await Home.open(options);
  try {
    await home.pair();
    return await home.day();
  } finally {
    await home.close();
  }
}

/** The machine's time until it is quickened. */
class Pace implements Clock {
  #factor = 1;
  #base = Date.now();
  #from = performance.now();

  now(): number {
    return this.#base + (performance.now() - this.#from) * this.#factor;
  }

  after(ms: number, callback: () => void): () => void {
    return realTime.after(ms / this.#factor, callback);
  }

  quicken(factor: number): void {
    [this.#base, this.#from, this.#factor] = [this.now(), performance.now(), factor];
  }
}

class Home {
  readonly #options: DayOptions;
  readonly #pace: Pace;
  readonly #air: SimulatedAir;
  readonly #adapter: Adapter;
  readonly #close: () => Promise<void>;
  readonly #lamps: readonly Lamp[];
  readonly #sensors: readonly Door[];
  readonly #found = new Map<string, FoundDevice>();
  /** The doors that are open. */
  readonly #open = new Set<Ieee>();
  #seen = 0;
  #day: Record<"moves" | "commands" | "commandsLost", number> = { moves: 0, commands: 0, commandsLost: 0 };

  private constructor(
    options: DayOptions,
    pace: Pace,
    air: SimulatedAir,
    adapter: Adapter,
    close: () => Promise<void>,
  ) {
    this.#options = options;
    this.#pace = pace;
    this.#air = air;
    this.#adapter = adapter;
    this.#close = close;
    const numbers = Array.from({ length: options.devices }, (_, number) => number);
    this.#lamps = numbers
      .filter((number) => number % lampEvery === 0)
      .map((n) => devices.unknownLamp(ieeeOf(n)));
    this.#sensors = numbers
      .filter((number) => number % lampEvery !== 0)
      .map((n) => devices.contact(ieeeOf(n)));
  }

  static async open(options: DayOptions): Promise<Home> {
    const clock = new Pace();
    const air = new SimulatedAir({ clock, seed: options.seed });
    const served = await serveStick(new Stick({ air, tableSize: options.devices + 10 }));
    const folder = mkdtempSync(join(tmpdir(), "ledge-day-"));
    const adapter = createAdapter();
    const home: Home = new Home(options, clock, air, adapter, async () => {
      await adapter.stop();
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const stored = new Map<string, unknown>();
    const host: AdapterHost = {
      settings: { radio: { path: served.path, stick: "zstack" } },
      clock: { now: () => clock.now(), after: (ms, callback) => clock.after(ms, callback) },
      folder,
      store: {
        get: (key) => stored.get(key),
        put: async (key, value) => void stored.set(key, structuredClone(value)),
      },
      log: () => {},
      announce: () => {},
      found: (device) => void home.#found.set(device.native, device),
      lost: () => {},
      trouble: () => {},
      report: (report) => home.#heard(report),
    };
    // The clock's timers do not keep a process alive.
    const alive = setInterval(() => {}, 1000);
    await adapter.start(host).finally(() => clearInterval(alive));
    return home;
  }

  async pair(): Promise<void> {
    const all = [...this.#lamps, ...this.#sensors];
    await this.#adapter.pairing?.open(60 * minuteMs);
    for (const device of all) {
      this.#air.add(device, { awakeAfterJoinMs: Infinity });
      if (!this.#air.join(device.ieee)) throw new Error(`${device.ieee} could not join`);
    }
    const isComplete = ({ ieee }: { readonly ieee: Ieee }): boolean =>
      this.#found.get(ieee)?.status === "COMPLETE";
    while (!all.every(isComplete)) await sleep(50);
    await this.#adapter.pairing?.close();
    for (const { ieee } of all) await this.#adapter.pairing?.keep(ieee);
  }

  async day(): Promise<Day> {
    const { minutes, factor, seed } = this.#options;
    const random = seededRandom(seed);
    this.#seen = 0;
    this.#pace.quicken(factor);
    const early = { mb: 0 };
    const commands: Promise<void>[] = [];
    const began = performance.now();
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const sensor of this.#sensors) {
        if (random(moveEvery) === 0) this.#move(sensor);
      }
      for (const lamp of this.#lamps) {
        if (random(commandEvery) === 0) commands.push(this.#command(lamp, minute % 2 === 0));
      }
      this.#air.log.clear();
      if (minute === Math.floor(minutes / 4)) early.mb = heapMb();
      const due = began + ((minute + 1) * minuteMs) / factor;
      await sleep(Math.max(0, due - performance.now()));
    }
    await Promise.all(commands);
    const until = performance.now() + lastMs;
    while (this.#seen < this.#day.moves && performance.now() < until) await sleep(20);
    const { moves } = this.#day;
    return { ...this.#day, movesLost: moves - this.#seen, heapMb: [early.mb, heapMb()] };
  }

  close(): Promise<void> {
    return this.#close();
  }

  #move(sensor: Door): void {
    const isOpen = !this.#open.has(sensor.ieee);
    if (isOpen) this.#open.add(sensor.ieee);
    else this.#open.delete(sensor.ieee);
    sensor.alarm(isOpen);
    this.#day.moves += 1;
  }

  async #command(lamp: Lamp, isOn: boolean): Promise<void> {
    this.#day.commands += 1;
    const { signal } = new AbortController();
    try {
      await this.#adapter.send(lamp.ieee, { type: "set", attributes: { isOn } }, signal);
    } catch {
      this.#day.commandsLost += 1;
    }
  }

  #heard({ attributes }: Report): void {
    if ("open" in attributes) this.#seen += 1;
  }
}

/** The heap without garbage, MB. */
function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function ieeeOf(number: number): Ieee {
  return `0x00158d00${(number + 1).toString(16).padStart(8, "0")}`;
}
