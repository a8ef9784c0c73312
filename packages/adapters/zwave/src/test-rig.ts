import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Adapter,
  AdapterClock,
  AdapterHost,
  AdapterRequest,
  DeviceDescription,
  FoundDevice,
  RadioTrouble,
  Report,
} from "@ledge/port";
import { answerRequest, systemClock } from "@ledge/port";
import { complaintsIn, type Recorded, recordingHost } from "@ledge/port/testing";
import { until } from "@ledge/testkit";
import { type NodePlan, type ServedStick, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import { createAdapter } from "./adapter.ts";

export { codeOf } from "@ledge/port/testing";

/** A home with a stick, the adapter that runs it, and everything that the adapter reported. */
export class Rig implements Recorded {
  readonly served: ServedStick<ZWaveStick>;
  readonly folder: string;
  readonly stored = new Map<string, unknown>();
  readonly announced: DeviceDescription[] = [];
  readonly reports: Report[] = [];
  readonly found: FoundDevice[] = [];
  readonly lost: string[] = [];
  readonly troubles: (RadioTrouble | null)[] = [];
  /** The logged warnings and errors. */
  readonly complaints: string[] = [];
  readonly #host: AdapterHost;
  adapter: Adapter = createAdapter();

  /** @param path where the adapter finds the stick; undefined: none is chosen */
  constructor(
    served: ServedStick<ZWaveStick>,
    folder: string,
    path: string | undefined,
    clock: AdapterClock,
    key?: string,
  ) {
    this.served = served;
    this.folder = folder;
    this.#host = recordingHost(this, {
      settings:
        path === undefined ? {} : { radio: { path, stick: "zwave", ...(key !== undefined && { key }) } },
      clock,
      folder,
      log: complaintsIn(this.complaints),
    });
  }

  get stick(): ZWaveStick {
    return this.served.stick;
  }

  async start(): Promise<void> {
    await this.adapter.start(this.#host);
  }

  /** Starts the adapter again, as after a stop of the hub. @param meanwhile what happens while it is stopped */
  async restart(meanwhile = async (): Promise<void> => {}): Promise<void> {
    await this.adapter.stop();
    await meanwhile();
    this.adapter = createAdapter();
    await this.start();
  }

  /** The native id of a node of the stick's network. */
  native(nodeId: number): string {
    return `${this.stick.homeId.toString(16)}/${nodeId}`;
  }

  /** Lets a device join in an open window, and keeps it when it is known. Returns its native id. */
  async pair(plan: NodePlan): Promise<string> {
    const before = new Set(this.stick.nodeIds);
    await this.adapter.pairing?.open(60_000);
    this.stick.inclusion.seek(plan);
    const joined = (): number | undefined => this.stick.nodeIds.find((id) => !before.has(id));
    await this.until("a node", () => joined() !== undefined);
    const native = this.native(joined() ?? 0);
    await this.keep(native);
    return native;
  }

  /** Keeps a device of an open window once it is known, and closes the window. */
  async keep(native: string): Promise<void> {
    await this.until("its description", () => this.completed(native) !== undefined);
    await this.adapter.pairing?.keep(native);
    await this.adapter.pairing?.close();
  }

  /**
   * Keeps a socket that the stick knows already and switches it on, then pulls the stick out and plugs it in again.
   * @param port where the adapter finds the stick
   */
  async keepAndReplug(native: string, port: Pick<ServedStick<ZWaveStick>, "plug" | "unplug">): Promise<void> {
    await this.adapter.pairing?.open(60_000);
    await this.keep(native);
    await this.set(native, { isOn: true });
    await this.untilReported(native, "isOn", true);
    await port.unplug();
    await this.untilReported(native, "reachable", false);
    await port.plug();
    await this.untilReported(native, "reachable", true);
  }

  /** The find of a device that is fully described. */
  completed(native: string): FoundDevice | undefined {
    return this.found.findLast((device) => device.native === native && device.status === "COMPLETE");
  }

  async set(native: string, attributes: Readonly<Record<string, unknown>>): Promise<void> {
    await this.adapter.send(native, { type: "set", attributes }, new AbortController().signal);
  }

  /** Sends a protocol command, as a client would. */
  async command(type: string, fields: object = {}): Promise<Record<string, unknown>> {
    return (await this.#commanded(type, fields)) as Record<string, unknown>;
  }

  /** The nodes of the network, as a client sees them. */
  async nodes(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#commanded("ZWAVE_GET_NODES")) as readonly Readonly<Record<string, unknown>>[];
  }

  async #commanded(type: string, fields: object = {}): Promise<unknown> {
    return await this.ask({ type, commands: [{ type, ...fields }] });
  }

  /** Sends a request, as the hub would. */
  async ask(request: AdapterRequest): Promise<unknown> {
    return await answerRequest(this.adapter, request, new AbortController().signal);
  }

  /** The newest reported value of an attribute. */
  latest(native: string, name: string): unknown {
    const newest = this.reports.findLast((report) => report.native === native && name in report.attributes);
    return newest?.attributes[name];
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    await until(what, holds);
  }

  async untilReported(native: string, name: string, value: unknown): Promise<void> {
    await this.until(`${name} ${String(value)} of ${native}`, () => this.latest(native, name) === value);
  }

  async close(): Promise<void> {
    await this.adapter.stop();
    await this.served.close();
    await rm(this.folder, { recursive: true });
  }
}

/** Options of `startRig`. */
export interface RigOptions {
  readonly isChosen?: boolean;
  readonly clock?: AdapterClock;
  readonly hasMemory?: boolean;
  readonly series?: 500 | 700 | 800;
  /** The id of the network of another controller that the stick has joined. */
  readonly memberOf?: number;
  /** Of the native API of a device with ESPHome. */
  readonly key?: string;
  /** Returns where the adapter finds the stick. */
  readonly pathOf?: (served: ServedStick<ZWaveStick>) => string;
}

/** Starts the adapter with a new stick, or without one that is there. */
export async function startRig(
  plans: readonly NodePlan[] = [],
  {
    isChosen = true,
    clock = systemClock,
    hasMemory = false,
    memberOf,
    series = 700,
    key,
    pathOf = ({ path }) => path,
  }: RigOptions = {},
): Promise<Rig> {
  const stick = await ZWaveStick.create({ hasMemory, series, ...(memberOf !== undefined && { memberOf }) });
  for (const plan of plans) await stick.place(plan);
  const folder = await mkdtemp(join(tmpdir(), "ledge-zwave-"));
  const served = await serveStick(stick);
  const rig = new Rig(served, folder, isChosen ? pathOf(served) : undefined, clock, key);
  await rig.start();
  return rig;
}
