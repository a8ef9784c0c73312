import { join } from "node:path";
import type {
  Adapter,
  AdapterHost,
  DeviceCommand,
  Groupcast,
  NativeId,
  Pairing,
  RequestTable,
} from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { Devices } from "./devices.ts";
import { Images } from "./firmware/images.ts";
import { Network } from "./network.ts";
import { protocolCommands } from "./protocol-commands.ts";
import { readSettings } from "./settings.ts";
import { radio as radioName } from "./unit-facts.ts";

/** How long `start` waits for the network, so that commands right after it are not refused. */
const openMs = 60_000;

interface Running {
  readonly devices: Devices;
  /** Absent until a stick is chosen. */
  readonly network: Network | undefined;
}

/**
 * Makes the adapter for a Z-Wave stick. Settings: `readSettings`. A device's native id is the id of its network and of
 * its node, plus `/<endpoint>` for further parts.
 */
export function createAdapter(): Adapter {
  return new ZWaveAdapter();
}

class ZWaveAdapter implements Adapter {
  readonly protocol = "zwave";
  /** The library has a queue of its own; a stick sends one frame at a time. */
  readonly inFlight = 4;
  #running: Running | undefined;
  #stopped: Promise<void> = Promise.resolve();

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const { radio, images } = readSettings(host.settings);
    const devices = new Devices(host, new Images(images ?? join(host.folder, "images"), host.log));
    const network = radio && new Network(host, radio.path, radio.key, devices);
    this.#running = { devices, network };
    await devices.load();
    // It may have been stopped meanwhile.
    if (network === undefined || this.#running?.network !== network) return;
    const open = devices.whenOpen(openMs);
    network.start();
    await open;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      running.devices.stop();
      this.#stopped = running.network?.stop() ?? Promise.resolve();
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
    open: async (windowMs) => {
      const { devices, network } = this.#now();
      // A hub that has no stick yet scans for other devices.
      if (network !== undefined) await devices.pairing.open(windowMs);
    },
    close: async () => await this.#running?.devices.pairing.close(),
    keep: async (native) => await this.#now().devices.pairing.keep(native),
    discard: async (native) => await this.#running?.devices.pairing.discard(native),
  };

  readonly groupcast: Groupcast = {
    radios: [radioName],
    // A frame names its receivers.
    keep: async () => {},
    cast: async (...cast) => await this.#now().devices.multicast.cast(...cast),
  };

  readonly protocolCommands: RequestTable = protocolCommands(() => {
    const { devices, network } = this.#now();
    return { devices, hasStick: network !== undefined };
  });

  readonly requests: RequestTable = {
    SET_CONFIGURATION: async (request, signal) =>
      await this.#now().devices.configurations.configure(request, signal),
    START_UPGRADE: async (request, signal) => await this.#now().devices.startUpgrade(request, signal),
    CANCEL_UPGRADE: async (request, signal) => await this.#now().devices.cancelUpgrade(request, signal),
  };

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }
}
