import type { Adapter, AdapterHost, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Target } from "./commands.ts";
import { carryOut } from "./commands.ts";
import { openConnection } from "./connection.ts";
import { commandError } from "./fault.ts";
import { Line } from "./line.ts";
import { mapDevice } from "./device-map.ts";
import { PolledDevice } from "./polled-device.ts";
import { Poller } from "./poller.ts";
import type { PortSettings } from "./settings.ts";
import { readSettings } from "./settings.ts";

/**
 * Modbus over TCP and serial lines (application protocol v1.1b3), as client. Its devices are those of its
 * settings (`readSettings`); a device's native id is `<port's name>/<device's id>`, its radio the port's name.
 * @param random 0..1, spreads reconnections.
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new ModbusAdapter(random);
}

interface Station {
  readonly line: Line;
  readonly poller: Poller;
  readonly devices: readonly PolledDevice[];
}

class ModbusAdapter implements Adapter {
  readonly protocol = "modbus";
  /** A line carries one request at a time; a second command would only wait in here instead of at the dispatcher. */
  readonly inFlight = 1;
  readonly #random: () => number;
  readonly #targets = new Map<NativeId, Target>();
  #stations: readonly Station[] | undefined;
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#stations !== undefined) return;
    const stations = readSettings(host.settings).map((port, index) =>
      this.#station(port, `ports[${index}]`, host),
    );
    this.#stations = stations;
    for (const { line, poller, devices } of stations) {
      for (const device of devices) {
        this.#targets.set(device.map.description.native, { line, poller, device });
        host.announce(device.map.description);
      }
    }
    for (const { line } of stations) line.start();
  }

  async stop(): Promise<void> {
    const stations = this.#stations ?? [];
    this.#stations = undefined;
    this.#targets.clear();
    for (const { poller } of stations) poller.stop();
    if (stations.length > 0) this.#stopped = Promise.all(stations.map(({ line }) => line.stop()));
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    if (this.#stations === undefined) throw new AdapterError("stopped", "the adapter is not running");
    const target = this.#targets.get(native);
    if (target === undefined) throw new AdapterError("refused", `no device ${native}`);
    try {
      await carryOut(target, command, signal);
    } catch (error) {
      throw commandError(error);
    }
  }

  forget(native: NativeId): Promise<void> {
    const target = this.#targets.get(native);
    this.#targets.delete(native);
    target?.poller.forget(target.device);
    return Promise.resolve();
  }

  #station(port: PortSettings, path: string, host: AdapterHost): Station {
    const devices = port.devices.map((device, index) => {
      return new PolledDevice(
        mapDevice(port.name, device, `${path}.devices[${index}]`),
        port.unreachableAfter,
      );
    });
    const line = new Line({
      port,
      host,
      random: this.#random,
      open: (signal) => openConnection(port, host.clock, signal),
      up: () => poller.up(),
      down: () => poller.down(),
    });
    const poller = new Poller(line, host, devices);
    return { line, poller, devices };
  }
}
