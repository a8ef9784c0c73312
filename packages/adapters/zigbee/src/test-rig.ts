import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as passing } from "node:timers/promises";
import type {
  Adapter,
  AdapterHost,
  AdapterRequest,
  DeviceCommand,
  DeviceDescription,
  FoundDevice,
  Report,
} from "@ledge/port";
import { answerRequest, systemClock } from "@ledge/port";
import { complaintsIn, type Recorded, recordingHost } from "@ledge/port/testing";
import type { AirDevice, CoordinatorStick, Ieee, ServedStick, SimulatedKind } from "@ledge/testkit/zigbee";
import { serveStick, SimulatedAir, Stick, sticks } from "@ledge/testkit/zigbee";
import type { AdapterOptions } from "./adapter.ts";
import { createAdapter } from "./adapter.ts";

export { codeOf } from "@ledge/port/testing";
export { passing };

/** Timers longer than this (ms) are only run by `hurry`. */
const lateMs = 120_000;

/** A home with a stick, the adapter that runs it, and everything that the adapter reported. */
export class Rig<Kind extends CoordinatorStick = Stick> implements Recorded {
  readonly air: SimulatedAir;
  readonly served: ServedStick<Kind>;
  /** The folder of the adapter's caches and images. */
  readonly folder: string;
  readonly stored = new Map<string, unknown>();
  readonly announced: DeviceDescription[] = [];
  readonly reports: Report[] = [];
  readonly found: FoundDevice[] = [];
  readonly lost: string[] = [];
  /** The logged warnings and errors. */
  readonly complaints: string[] = [];
  /** Keys that the store refuses now. */
  refused: RegExp | undefined;
  /** Called before a key is stored, which waits for it. */
  beforePut: (key: string) => Promise<void> = async () => {};
  readonly #options: AdapterOptions;
  readonly #host: AdapterHost;
  readonly #late = new Set<() => void>();
  #adapter: Adapter;

  constructor(air: SimulatedAir, served: ServedStick<Kind>, folder: string, options: AdapterOptions) {
    this.air = air;
    this.served = served;
    this.folder = folder;
    this.#options = options;
    this.#adapter = createAdapter(options);
    const host = recordingHost(this, {
      settings: { radio: { path: served.path, stick: served.stick.kind } },
      clock: { ...systemClock, after: (ms, callback) => this.#after(ms, callback) },
      folder,
      log: complaintsIn(this.complaints),
    });
    const put: AdapterHost["store"]["put"] = async (key, value) => {
      await this.beforePut(key);
      if (this.refused?.test(key)) throw new Error(`${key} is not stored`);
      await host.store.put(key, value);
    };
    this.#host = { ...host, store: { ...host.store, put } };
  }

  get adapter(): Adapter {
    return this.#adapter;
  }

  async start(): Promise<void> {
    await this.#adapter.start(this.#host);
  }

  /**
   * Starts the adapter again, as after a stop of the hub.
   * @param meanwhile what happens while it is stopped
   */
  async restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.#adapter.stop();
    await meanwhile();
    this.#adapter = createAdapter(this.#options);
    await this.start();
  }

  /** Runs every timer that is due in minutes or later. */
  hurry(): void {
    // A copy, without timers that these start.
    const due = [...this.#late];
    for (const happen of due) happen();
  }

  #after(ms: number, callback: () => void): () => void {
    const cancel = systemClock.after(ms, callback);
    if (ms < lateMs) return cancel;
    const forget = (): void => {
      this.#late.delete(happen);
      cancel();
    };
    const happen = (): void => {
      forget();
      callback();
    };
    this.#late.add(happen);
    return forget;
  }

  async send(native: string, command: DeviceCommand, signal = new AbortController().signal): Promise<void> {
    await this.#adapter.send(native, command, signal);
  }

  async set(native: string, attributes: Attributes, signal?: AbortSignal): Promise<void> {
    await this.send(native, { type: "set", attributes }, signal);
  }

  async ask(request: AdapterRequest): Promise<unknown> {
    return await answerRequest(this.#adapter, request, new AbortController().signal);
  }

  /** The newest reported value of an attribute. */
  latest(native: string, name: string): unknown {
    const newest = this.reports.findLast((report) => report.native === native && name in report.attributes);
    return newest?.attributes[name];
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const start = performance.now();
    while (!holds()) {
      assert.ok(performance.now() - start < 60_000, `timed out waiting for ${what}`);
      await passing(10);
    }
  }

  /** Lets a device join in a window and keeps all of its units. */
  async pair(device: AirDevice): Promise<void> {
    await this.pairAll([device]);
  }

  /** Lets devices join side by side in one window and keeps all of their units. */
  async pairAll(devices: readonly AirDevice[]): Promise<void> {
    for (const device of devices) this.air.add(device);
    await this.#adapter.pairing?.open(60_000);
    for (const { ieee } of devices) assert.ok(this.air.join(ieee), "the device joins the network");
    for (const { ieee } of devices)
      await this.until(`${ieee} found`, () => completeOf(this.found, ieee).length > 0);
    await this.#adapter.pairing?.close();
    for (const { ieee } of devices)
      for (const native of completeOf(this.found, ieee)) await this.#adapter.pairing?.keep(native);
    for (const { ieee } of devices) await this.until(`${ieee} set up`, () => isSetUp(this.stored, ieee));
  }

  async close(): Promise<void> {
    await this.#adapter.stop();
    await this.served.close();
    await rm(this.folder, { recursive: true });
  }
}

type Attributes = Readonly<Record<string, unknown>>;

/** Returns a rig with a running network. The caller closes it. */
export async function startRig(options: AdapterOptions = {}): Promise<Rig> {
  const air = new SimulatedAir();
  return await rigOf(air, new Stick({ air }), options);
}

/** Returns a rig with a running network on a stick of a kind. The caller closes it. */
export async function startRigOn(kind: SimulatedKind): Promise<Rig<CoordinatorStick>> {
  const air = new SimulatedAir();
  return await rigOf(air, sticks[kind]({ air }), {});
}

async function rigOf<Kind extends CoordinatorStick>(
  air: SimulatedAir,
  stick: Kind,
  options: AdapterOptions,
): Promise<Rig<Kind>> {
  const served = await serveStick(stick);
  const folder = await mkdtemp(join(tmpdir(), "ledge-zigbee-"));
  const rig = new Rig(air, served, folder, options);
  await rig.start();
  return rig;
}

/** Returns the native ids of a node's found units that can be kept. */
export function completeOf(found: readonly FoundDevice[], ieee: Ieee): string[] {
  const natives = found.filter(({ native, status }) => native.startsWith(ieee) && status === "COMPLETE");
  return [...new Set(natives.map(({ native }) => native))];
}

export function isSetUp(stored: ReadonlyMap<string, unknown>, ieee: Ieee): boolean {
  return (stored.get(`node/${ieee}`) as { isSetUp?: boolean } | undefined)?.isSetUp === true;
}
