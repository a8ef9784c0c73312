import type { Clock, Kernel } from "@ledge/kernel";
import type { Device, LoggedEvent } from "@ledge/model";
import { bacnetId, defaultBacnetSettings, hasFeature } from "@ledge/model";
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

/** The settings of the servers that adapters run, by protocol. Undefined: the server is off. */
const servers: Readonly<Record<string, (kernel: Kernel) => object | undefined>> = {
  bacnet(kernel) {
    if (!hasFeature("BACNET_SERVER", kernel)) return undefined;
    for (const [id, { name, timezone }] of kernel.all("hub")) {
      const settings = kernel.get("bacnet", bacnetId) ?? defaultBacnetSettings(id, name);
      const { bacnetEnabled, deviceId, deviceName, port, broadcast } = settings;
      if (!bacnetEnabled) return undefined;
      return { deviceId, deviceName, port, broadcast, timeZone: timezone, version: apiVersion };
    }
    return undefined;
  },
};

/** Shows the hub's devices to clients of another protocol by way of its adapter, and takes their commands. */
export class Serving {
  readonly #protocol: string;
  readonly #host: ServingHost;
  readonly #adapter: () => Pick<SupervisedAdapter, "request" | "offers">;
  /** Counts the starts of the adapter: what was begun for an earlier one ends. */
  #run = 0;
  /** The settings that the adapter has, as JSON. */
  #settings: string | undefined;
  /** What the adapter knows of each device. */
  readonly #told = new Map<string, "shown" | "hidden">();
  readonly #changed = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(
    protocol: string,
    host: ServingHost,
    adapter: () => Pick<SupervisedAdapter, "request" | "offers">,
  ) {
    this.#protocol = protocol;
    this.#host = host;
    this.#adapter = adapter;
  }

  /** The adapter has started: it knows nothing yet. */
  running(): void {
    this.stop();
    const server = servers[this.#protocol];
    if (server === undefined || !this.#adapter().offers.requests.includes("SERVE_HOME")) return;
    void this.#serve(this.#run);
    void this.#takeCommands(this.#run);
  }

  stop(): void {
    this.#run += 1;
    this.#settings = undefined;
    this.#told.clear();
    this.#changed.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Follows a published event. */
  follow({ id, type }: LoggedEvent): void {
    if (this.#settings === undefined) return;
    const { kernel } = this.#host;
    const concernsHub = type === "BacnetSettingsSet" || kernel.get("hub", id) !== undefined;
    if (!concernsHub && kernel.get("device", id) === undefined && !this.#told.has(id)) return;
    if (!concernsHub) this.#changed.add(id);
    const run = this.#run;
    this.#cancel ??= this.#host.clock.after(gatherMs, () => {
      this.#cancel = undefined;
      void this.#serve(run);
    });
  }

  /** Tells the adapter everything when its settings are others, and what has changed otherwise. */
  async #serve(run: number): Promise<void> {
    if (run !== this.#run) return;
    const { kernel, logger, clock } = this.#host;
    const settings = servers[this.#protocol]?.(kernel) ?? null;
    const text = JSON.stringify(settings);
    const full = text !== this.#settings;
    const changed =
      settings === null ? [] : full ? [...kernel.all("device")].map(([id]) => id) : [...this.#changed];
    this.#changed.clear();
    if (!full && changed.length === 0) return;
    this.#settings = text;
    if (full) this.#told.clear();
    const devices = changed.flatMap((id) => this.#entryOf(id));
    const request = { type: "SERVE_HOME", full, devices, ...(full && { [this.#protocol]: settings }) };
    try {
      await this.#adapter().request(request, requestMs);
    } catch (error) {
      if (run !== this.#run) return;
      logger.warn(
        { adapter: this.#protocol, reason: adapterErrorOf(error).message },
        "the server of another protocol was not told of the hub's devices",
      );
      // Everything is told again.
      this.#settings = "";
      this.#cancel ??= clock.after(retryMs, () => {
        this.#cancel = undefined;
        void this.#serve(run);
      });
    }
  }

  #entryOf(id: string): readonly Served[] {
    const device = this.#host.kernel.get("device", id);
    if (device === undefined) return this.#told.delete(id) ? [[id, null]] : [];
    const before = this.#told.get(id);
    this.#told.set(id, this.#isServed(device) ? "shown" : "hidden");
    if (this.#told.get(id) === "hidden") return before === "hidden" ? [] : [[id, "hidden"]];
    const { name, type, capabilities, state } = device;
    return [[id, { id, name, class: type, capabilities: capabilities.values, state }]];
  }

  /** Nobody outside sees hidden devices, people's phones and cameras, and no protocol its own devices. */
  #isServed({ id, type, visible }: Device): boolean {
    if (!visible || type === "UI_DEVICE" || type === "CAMERA") return false;
    return this.#host.kernel.get("binding", id)?.protocol !== this.#protocol;
  }

  async #takeCommands(run: number): Promise<void> {
    let outcomes: readonly object[] = [];
    while (run === this.#run) {
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
