import type { Clock, Kernel } from "@ledge/kernel";
import type { Device, LoggedEvent } from "@ledge/model";
import { bacnetId, hasFeature } from "@ledge/model";
import { adapterErrorOf } from "@ledge/port";
import type { Logger } from "@ledge/host/logger";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import { apiVersion } from "../version.ts";

/** The parts of the hub that this class uses. */
export interface ServingHost {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
}

/** A command of a client of another protocol, as its adapter hands it over. */
interface ClientCommand {
  readonly id: number;
  readonly client: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>> | null;
}

/** A device as its server takes it; one that is not shown keeps its place, one that is gone does not. */
type Served = readonly [id: string, device: object | "hidden" | null];

/** Changes of devices wait this long for more, so that an adapter gets them together. */
const gatherMs = 50;
const requestMs = 10_000;
/** How long an adapter holds a request for commands of its clients. */
const waitMs = 25_000;
const retryMs = 1000;

/** A server that an adapter runs. */
interface AdapterServer {
  /** Returns its settings as its adapter takes them; undefined: it is off. */
  readonly settings: (kernel: Kernel) => object | undefined;
  /** The types of the events that change them. */
  readonly changedBy: ReadonlySet<string>;
}

/** By protocol. */
const servers: Readonly<Record<string, AdapterServer>> = {
  bacnet: {
    settings(kernel) {
      const settings = kernel.get("bacnet", bacnetId);
      if (settings?.bacnetEnabled !== true || !hasFeature("BACNET_SERVER", kernel)) return undefined;
      const { deviceId, deviceName, port, broadcast } = settings;
      for (const [, { timezone }] of kernel.all("hub"))
        return { deviceId, deviceName, port, broadcast, timeZone: timezone, version: apiVersion };
      return undefined;
    },
    changedBy: new Set(["BacnetSettingsSet", "FeaturesSet", "FeaturesActivated", "TimezoneSet"]),
  },
};

/** Returns what feeds the server of a protocol's adapter; undefined for a protocol without one. */
export function servingOf(
  protocol: string,
  host: ServingHost,
  adapter: () => ServingAdapter,
): Serving | undefined {
  const server = Object.hasOwn(servers, protocol) ? servers[protocol] : undefined;
  return server && new Serving(protocol, server, host, adapter);
}

type ServingAdapter = Pick<SupervisedAdapter, "request" | "offers">;

/** What an adapter knows of the settings of its server, besides their JSON: that it is off. */
const off = "off";

/** Shows the hub's devices to clients of another protocol by way of its adapter, and takes their commands. */
export class Serving {
  readonly #protocol: string;
  readonly #server: AdapterServer;
  readonly #host: ServingHost;
  readonly #adapter: () => ServingAdapter;
  /** Counts the starts of the adapter: what was begun for an earlier one ends. */
  #run = 0;
  #isRunning = false;
  /** The settings that the adapter has, as JSON; undefined: nobody knows. */
  #settings: string | undefined = off;
  /** What the adapter knows of each device. */
  readonly #told = new Map<string, "shown" | "hidden">();
  readonly #changed = new Set<string>();
  #cancel: (() => void) | undefined;
  /** The run whose commands are taken now. */
  #taking: number | undefined;

  constructor(protocol: string, server: AdapterServer, host: ServingHost, adapter: () => ServingAdapter) {
    this.#protocol = protocol;
    this.#server = server;
    this.#host = host;
    this.#adapter = adapter;
  }

  /** The adapter has started: its server is off. */
  running(): void {
    this.stop();
    if (!this.#adapter().offers.requests.includes("SERVE_HOME")) return;
    this.#isRunning = true;
    void this.#serve(this.#run);
  }

  stop(): void {
    this.#run += 1;
    this.#isRunning = false;
    this.#settings = off;
    this.#told.clear();
    this.#changed.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Follows a published event. While the server is off, only what may turn it on counts. */
  follow({ id, type }: LoggedEvent): void {
    if (!this.#isRunning) return;
    if (!this.#server.changedBy.has(type)) {
      if (!this.#isOn) return;
      if (this.#host.kernel.get("device", id) === undefined && !this.#told.has(id)) return;
      this.#changed.add(id);
    }
    this.#serveIn(gatherMs);
  }

  get #isOn(): boolean {
    return this.#settings !== undefined && this.#settings !== off;
  }

  #serveIn(ms: number): void {
    const run = this.#run;
    this.#cancel ??= this.#host.clock.after(ms, () => {
      this.#cancel = undefined;
      void this.#serve(run);
    });
  }

  /** Tells the adapter everything when its settings are others, and what has changed otherwise. */
  async #serve(run: number): Promise<void> {
    const { kernel, logger } = this.#host;
    const settings = this.#server.settings(kernel);
    const text = settings === undefined ? off : JSON.stringify(settings);
    const full = text !== this.#settings;
    const all = (): string[] => (settings === undefined ? [] : [...kernel.all("device")].map(([id]) => id));
    const changed = full ? all() : [...this.#changed];
    this.#changed.clear();
    if (!full && changed.length === 0) return;
    this.#settings = text;
    if (full) this.#told.clear();
    const devices = changed.flatMap((id) => this.#entryOf(id));
    const more = full ? { [this.#protocol]: settings ?? null } : {};
    try {
      await this.#adapter().request({ type: "SERVE_HOME", full, devices, ...more }, requestMs);
    } catch (error) {
      if (run !== this.#run) return;
      logger.warn(
        { adapter: this.#protocol, reason: adapterErrorOf(error).message },
        "the server of another protocol was not told of the hub's devices",
      );
      // Everything is told again.
      this.#settings = undefined;
      this.#serveIn(retryMs);
      return;
    }
    if (run === this.#run && this.#taking !== run && this.#isOn) void this.#takeCommands(run);
  }

  #entryOf(id: string): readonly Served[] {
    const device = this.#host.kernel.get("device", id);
    if (device === undefined) return this.#told.delete(id) ? [[id, null]] : [];
    const before = this.#told.get(id);
    const now = this.#isServed(device) ? "shown" : "hidden";
    this.#told.set(id, now);
    if (now === "hidden") return before === "hidden" ? [] : [[id, "hidden"]];
    const { name, type, capabilities, state } = device;
    return [[id, { id, name, class: type, capabilities: capabilities.values, state }]];
  }

  /** Nobody outside sees hidden devices, people's phones and cameras, and no protocol its own devices. */
  #isServed({ id, type, visible }: Device): boolean {
    if (!visible || type === "UI_DEVICE" || type === "CAMERA") return false;
    return this.#host.kernel.get("binding", id)?.protocol !== this.#protocol;
  }

  /** Takes commands until the server is off, or another run begins. */
  async #takeCommands(run: number): Promise<void> {
    this.#taking = run;
    let outcomes: readonly object[] = [];
    while (run === this.#run && this.#settings !== off) {
      try {
        const request = { type: "TAKE_CLIENT_COMMANDS", outcomes, waitMs };
        const commands = (await this.#adapter().request(
          request,
          waitMs + requestMs,
        )) as readonly ClientCommand[];
        outcomes =
          run === this.#run ? await Promise.all(commands.map((command) => this.#carryOut(command))) : [];
      } catch (error) {
        outcomes = [];
        if (run !== this.#run) return;
        this.#host.logger.debug(
          { adapter: this.#protocol, reason: adapterErrorOf(error).message },
          "commands of clients were not taken",
        );
        await new Promise<void>((resolve) => this.#host.clock.after(retryMs, resolve));
      }
    }
    if (run === this.#run) this.#taking = undefined;
  }

  /** Returns the outcome as the adapter takes it: with an error when the hub refuses. */
  async #carryOut({ id, client, device, attributes }: ClientCommand): Promise<object> {
    const { kernel } = this.#host;
    const known = kernel.get("device", device);
    if (known === undefined || !this.#isServed(known)) return { id, error: "no such device" };
    const origin = `${this.#protocol as "bacnet"}:${client.slice(0, 64)}` as const;
    const command =
      attributes === null
        ? { type: "RELEASE_OUTPUT", id: device, by: origin }
        : { type: "CMD_DEVICE", id: device, state: attributes };
    try {
      const outcome = await kernel.submit({ commands: [command], origin });
      return outcome.accepted ? { id } : { id, error: outcome.rejection.message };
    } catch (error) {
      return { id, error: (error as Error).message };
    }
  }
}
