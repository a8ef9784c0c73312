import { setTimeout } from "node:timers/promises";
import { SimulatedHome } from "./simulated-home.ts";
import { SimulatedHub } from "./simulated-hub.ts";

/** How many hubs may be on their way to their first tunnel at a time. */
const comingMost = 64;
const lookMs = 20;

/** Hubs of one process. */
export class SimulatedFleet {
  readonly homes: readonly SimulatedHome[];
  /** How long (ms) each report took until it was stored. */
  readonly lags: number[] = [];
  /** How often something was in the way of a tunnel, by what it was. */
  readonly problems = new Map<string, number>();
  #hubs: readonly SimulatedHub[] = [];
  #connected = 0;
  #lost = 0;

  constructor(hubs: number, devices: number) {
    this.homes = Array.from({ length: hubs }, () => new SimulatedHome(devices, this.lags));
  }

  /** How many hubs have a tunnel. */
  get connected(): number {
    return this.#connected;
  }

  /** How many tunnels have ended. */
  get lost(): number {
    return this.#lost;
  }

  /** Lets all hubs dial, some at a time. Resolves once all are connected. @param onHalf called when half of them are */
  async begin(url: string, onHalf: () => void): Promise<void> {
    const made: SimulatedHub[] = [];
    const half = Math.floor(this.homes.length / 2);
    for (const [index, home] of this.homes.entries()) {
      if (index === half) {
        await this.reach(half);
        onHalf();
      }
      const changed = (isConnected: boolean): void => {
        this.#connected += isConnected ? 1 : -1;
        this.#lost += isConnected ? 0 : 1;
      };
      const failed = (problem: string): void => {
        this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1);
      };
      const hub = await SimulatedHub.make({ url, index, home, changed, failed });
      made.push(hub);
      hub.start();
      while (made.length - this.#connected > comingMost) await setTimeout(lookMs);
    }
    this.#hubs = made;
    await this.reach(made.length);
  }

  /** Resolves when so many hubs are connected. */
  async reach(count: number): Promise<void> {
    while (this.#connected < count) await setTimeout(lookMs);
  }

  /** Resolves when the cloud has stored what all homes have reported. */
  async told(): Promise<void> {
    for (const home of this.homes) while (!home.isTold) await setTimeout(lookMs);
  }

  /** Lets homes report for a while, evenly: the next home each time. @returns how many reports there were */
  async report(perSecond: number, ms: number): Promise<number> {
    const began = performance.now();
    for (let count = 0; ; await setTimeout(5)) {
      const passed = Math.min(ms, performance.now() - began);
      const due = Math.floor((passed * perSecond) / 1000);
      for (; count < due; count++) this.homes[count % this.homes.length]?.report();
      if (passed === ms) return count;
    }
  }

  /** Lets some homes report again as soon as the last report is stored, for a while. @returns how many were stored */
  async hurry(homes: number, ms: number): Promise<number> {
    const hurrying = this.homes.slice(0, homes);
    const before = this.lags.length;
    for (const began = performance.now(); performance.now() - began < ms; await setTimeout(1))
      for (const home of hurrying) if (home.isTold) home.report();
    return this.lags.length - before;
  }

  async end(): Promise<void> {
    await Promise.all(this.#hubs.map((hub) => hub.stop()));
  }
}
