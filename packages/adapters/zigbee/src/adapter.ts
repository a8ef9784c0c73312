import { join } from "node:path";
import type {
  Adapter,
  AdapterHost,
  AnswerRequest,
  DeviceCommand,
  Groupcast,
  NativeId,
  Pairing,
  RequestTable,
} from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { AvailabilityTiming } from "./availability.ts";
import { availabilityTiming } from "./availability.ts";
import { Devices } from "./devices.ts";
import { broadcastDeliveryMs } from "./groupcast/broadcasts.ts";
import { maintenanceTypes } from "./maintenance/index.ts";
import { readDefinitions } from "./external/folder.ts";
import { Network } from "./network/network.ts";
import { readSettings } from "./settings.ts";
import { StickWindow } from "./window.ts";
import type { Pace } from "./upgrade/installations.ts";
import { pace as upgradePace } from "./upgrade/installations.ts";

/** How long `start` waits for the network, so that commands right after it are not refused. */
const openMs = 60_000;

interface Running {
  readonly network: Network;
  readonly devices: Devices;
}

/** Settings that tests change. */
export interface AdapterOptions {
  readonly timing?: Partial<AvailabilityTiming>;
  readonly pace?: Partial<Pace>;
  readonly broadcastMs?: number;
}

/**
 * Makes the adapter for a Zigbee stick. Settings: `readSettings`. A device's native id is its EUI-64, plus
 * `/<endpoint>` for further parts, so it stays the same when the network address or the stick changes.
 */
export function createAdapter(options: AdapterOptions = {}): Adapter {
  return new ZigbeeAdapter(options);
}

class ZigbeeAdapter implements Adapter {
  readonly protocol = "zigbee";
  readonly #options: AdapterOptions;
  #running: Running | undefined;
  #window = new StickWindow(undefined);
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: AdapterOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#window.size;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    this.#window = new StickWindow(settings.radio?.stick);
    const { timing, pace, broadcastMs = broadcastDeliveryMs } = this.#options;
    const devices: Devices = new Devices(host, {
      network: () => network,
      window: this.#window,
      timing: { ...availabilityTiming, ...timing },
      images: settings.images ?? join(host.folder, "images"),
      pace: { ...upgradePace, ...pace },
      definitions: readDefinitions(settings.definitions ?? join(host.folder, "definitions"), host.log),
      broadcastMs,
    });
    const network: Network = new Network(host, settings, devices);
    this.#running = { network, devices };
    devices.load();
    const open = devices.whenOpen(openMs);
    if (settings.radio === undefined) devices.failed();
    await network.start();
    await open;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      running.devices.stop();
      this.#stopped = running.network.stop();
    }
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    await this.#now().devices.send(native, command, signal);
  }

  async forget(native: NativeId): Promise<void> {
    await this.#running?.devices.forget(native);
  }

  readonly pairing: Pairing = {
    open: (windowMs) => this.#pairing().open(windowMs),
    close: async () => await this.#running?.devices.pairing.close(),
    keep: (native) => this.#pairing().keep(native),
    discard: async (native) => await this.#running?.devices.pairing.discard(native),
  };

  readonly groupcast: Groupcast = {
    radios: ["zigbee"],
    keep: async (groups) => await this.#now().devices.groups.keep(groups),
    cast: async (...cast) => await this.#now().devices.groups.cast(...cast),
  };

  readonly protocolCommands: RequestTable = {
    FORM_ZIGBEE_NETWORK: this.#ofNetwork((network) => network.protocolCommands),
    ...Object.fromEntries(
      maintenanceTypes.map((type): [string, AnswerRequest] => [
        type,
        async (request, signal) => await this.#now().devices.commands[type](request, signal),
      ]),
    ),
  };

  readonly requests: RequestTable = {
    ...Object.fromEntries(
      ["GET_ZIGBEE_STATUS", "SET_ZIGBEE", "SCAN_ZIGBEE", "GET_ZIGBEE_MAP"].map((type) => [
        type,
        this.#ofNetwork((network) => network.requests),
      ]),
    ),
    SET_CONFIGURATION: async (request, signal) => await this.#now().devices.upkeep.configure(request, signal),
    IMPORT_ZIGBEE2MQTT: async (request, signal) => await this.#now().devices.import.folder(request, signal),
    GET_ZIGBEE_BACKUP: async (request, signal) => await this.#now().devices.backup.export(request, signal),
    RESTORE_ZIGBEE_BACKUP: async (request, signal) =>
      await this.#now().devices.backup.restore(request, signal),
    START_UPGRADE: async (request, signal) => await this.#now().devices.upkeep.upgrade(request, signal),
    CANCEL_UPGRADE: async (request, signal) =>
      await this.#now().devices.upkeep.cancelUpgrade(request, signal),
  };

  /** Answers a request through the network, which exists only while the adapter runs. */
  #ofNetwork(tableOf: (network: Network) => RequestTable): AnswerRequest {
    return async (request, signal) => {
      const answer = tableOf(this.#now().network)[request.type];
      if (answer === undefined)
        throw new AdapterError("unsupported", `the network does not know ${request.type}`);
      return await answer(request, signal);
    };
  }

  #pairing(): Pairing {
    return this.#now().devices.pairing;
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }
}
