import { setTimeout } from "node:timers/promises";
import type { ChangesEnd, ChangesHead } from "@ledge/link";
import { newDevice } from "@ledge/model";

/** What the cloud asks a hub for; as the hub's own `Changes` takes it. */
interface Asked {
  readonly after: string | undefined;
  readonly max: number;
  readonly waitMs: number;
}

/** A home without a kernel: devices that report, told to the cloud as a hub tells them. */
export class SimulatedHome {
  readonly #devices: number;
  /** When each device has reported last, and which number the report had. */
  readonly #reported: { at: number; count: number }[];
  /** Which device each report was of. */
  readonly #reports: number[] = [];
  /** When (elapsed ms) the reports were made that the cloud has not stored, oldest first. */
  readonly #open: number[] = [];
  /** How many reports the cloud has stored; -1 before it has the home. */
  #stored = -1;
  readonly #lags: number[];
  #wake: () => void = () => {};

  /** @param lags gets how long (ms) each report took until it was stored */
  constructor(devices: number, lags: number[]) {
    this.#devices = devices;
    this.#reported = Array.from({ length: devices }, () => ({ at: 0, count: 0 }));
    this.#lags = lags;
  }

  /** Whether the cloud has stored everything. */
  get isTold(): boolean {
    return this.#stored === this.#reports.length;
  }

  /** Lets the next device report. */
  report(): void {
    const count = this.#reports.push(this.#reports.length % this.#devices);
    this.#reported[(count - 1) % this.#devices] = { at: Date.now(), count };
    this.#open.push(performance.now());
    this.#wake();
  }

  async *pieces({ after, max, waitMs }: Asked, signal: AbortSignal): AsyncGenerator<string> {
    const known = after === undefined || !/^s\.\d+$/.test(after) ? undefined : Number(after.slice(2));
    if (known !== undefined) this.#note(known);
    if (known === this.#reports.length && waitMs > 0) await this.#news(waitMs, signal);
    const from = known ?? this.#reports.length;
    const upto = Math.min(this.#reports.length, from + max);
    const isFull = known === undefined;
    const touched = isFull ? this.#reported.keys() : new Set(this.#reports.slice(from, upto));
    const events = this.#reports.slice(from, upto).map((device, at) => this.#event(device, from + at));
    const objects = [...touched].map((device) => this.#object(device));
    const head: ChangesHead = { v: 1, share: "states", generation: 0, full: isFull, after: after ?? null };
    const end: ChangesEnd = { next: `s.${upto}`, more: upto < this.#reports.length };
    yield [head, ...events, ...objects, end].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  /** Notes that the cloud has stored so many reports. */
  #note(stored: number): void {
    const now = performance.now();
    const news = stored - Math.max(0, this.#stored);
    this.#stored = stored;
    if (news <= 0) return;
    for (const at of this.#open.splice(0, news)) this.#lags.push(now - at);
  }

  async #news(waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const over = new AbortController();
    const waited = setTimeout(waitMs, undefined, { signal: AbortSignal.any([signal, over.signal]) });
    await Promise.race([promise, waited.catch(() => {})]);
    over.abort();
  }

  #event(device: number, report: number): object {
    const type = "StateChanged";
    return { event: { ref: `${report + 1}-0`, device: idOf(device), type, timestamp: this.#timeOf(device) } };
  }

  #timeOf(device: number): number {
    return this.#reported[device]?.at ?? 0;
  }

  /** A light as a hub tells it, of about 450 bytes. */
  #object(device: number): object {
    const [id, timestamp] = [idOf(device), this.#timeOf(device)];
    const level = ((this.#reported[device]?.count ?? 0) % 100) / 100;
    const state = {
      type: "STATE_LIGHT",
      isOn: level > 0,
      brightness: level,
      reachable: true,
      lastSeen: timestamp,
    };
    const content = {
      class: "LIGHT",
      capabilities: ["DEVICE", "ON_OFF", "BRIGHTNESS"],
      manufacturer: "Simulated",
      model: `L${device % 50}`,
      extras: {},
    };
    return { device: { ...newDevice({ id, name: `Lamp ${device}`, ...content }, timestamp), state } };
  }
}

const idOf = (device: number): string => `lamp-${device}`;
