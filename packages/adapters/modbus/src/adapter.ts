import type {
  Adapter,
  AdapterHost,
  AdapterRequest,
  DeviceCommand,
  NativeId,
  Pairing,
  RequestTable,
} from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Target } from "./commands.ts";
import { carryOut } from "./commands.ts";
import { openConnection } from "./connection.ts";
import type { DeviceMap } from "./device-map.ts";
import { mapDevice } from "./device-map.ts";
import { commandError } from "./fault.ts";
import { Kept } from "./kept.ts";
import { Line } from "./line.ts";
import { pairings, registerTypeOf } from "./pair-command.ts";
import { Pairings } from "./pairing.ts";
import { PolledDevice } from "./polled-device.ts";
import { Poller } from "./poller.ts";
import { readSerialPort, serialPorts } from "./serial-ports.ts";
import type { PortSettings } from "./settings.ts";
import { readSettings } from "./settings.ts";

/**
 * Makes the Modbus client for TCP and serial lines (application protocol v1.1b3). Its devices are those of
 * its settings (`readSettings`) and those that were paired. A device's native id is `<port name>/<device
 * id>`; its radio is the port name.
 * @param random 0..1, spreads reconnections.
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new ModbusAdapter(random);
}

interface Station {
  readonly port: PortSettings;
  readonly line: Line;
  readonly poller: Poller;
}

interface Running {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly stations: readonly Station[];
  readonly targets: Map<NativeId, Target & { readonly station: Station }>;
  /** Forgotten devices of the settings, which a pairing window finds again. */
  readonly forgotten: Map<NativeId, { readonly station: Station; readonly map: DeviceMap }>;
}

class ModbusAdapter implements Adapter {
  readonly protocol = "modbus";
  /**
   * A line carries one request at a time; a second command would only wait here instead of in the dispatcher.
   */
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;
  readonly #pairings = new Pairings();
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const kept = new Kept(host.store);
    const ports = kept.merged(readSettings(host.settings));
    const stations = ports.map((port) => this.#station(port, host));
    const running: Running = { host, kept, stations, targets: new Map(), forgotten: new Map() };
    const maps = stations.map(({ port }, index) =>
      port.devices.map((device, place) => mapDevice(port.name, device, `ports[${index}].devices[${place}]`)),
    );
    this.#running = running;
    for (const [index, station] of stations.entries())
      for (const map of maps[index] ?? []) attach(running, station, map);
    for (const { line } of stations) line.start();
  }

  async stop(): Promise<void> {
    const { stations = [] } = this.#running ?? {};
    this.#running = undefined;
    for (const { poller } of stations) poller.stop();
    if (stations.length > 0) this.#stopped = Promise.all(stations.map(({ line }) => line.stop()));
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const target = this.#now().targets.get(native);
    if (target === undefined) throw new AdapterError("refused", `no device ${native}`);
    try {
      await carryOut(target, command, signal);
    } catch (error) {
      throw commandError(error);
    }
  }

  /** Deletes a paired device for good; a pairing window can find a device of the settings again. */
  async forget(native: NativeId): Promise<void> {
    const target = this.#running?.targets.get(native);
    if (this.#running === undefined || target === undefined) return;
    const { targets, forgotten, kept } = this.#running;
    targets.delete(native);
    const { station, device } = target;
    station.poller.forget(device);
    const id = native.slice(station.port.name.length + 1);
    if (kept.paired.some((each) => each.port === station.port.name && each.device.id === id))
      await kept.unpair(station.port.name, id);
    else forgotten.set(native, { station, map: device.map });
  }

  readonly pairing: Pairing = {
    open: async () => {
      const { host, forgotten } = this.#now();
      for (const [native, { map }] of forgotten) {
        const complete = { status: "COMPLETE", actionRequired: false, help: null } as const;
        host.found({ native, description: map.description, ...complete });
      }
    },
    close: async () => {},
    keep: async (native) => {
      const running = this.#now();
      const found = running.forgotten.get(native);
      running.forgotten.delete(native);
      const known = running.targets.get(native);
      if (found) attach(running, found.station, found.map);
      else if (known) running.host.announce(known.device.map.description);
      else throw new AdapterError("refused", `no device ${native}`);
    },
    discard: async () => {},
  };

  readonly protocolCommands: RequestTable = {
    GET_MODBUS_PAIRINGS: async () => {
      this.#now();
      return pairings;
    },
    PAIR_MODBUS: (request, signal) => this.#pair(request, signal),
  };

  readonly requests: RequestTable = {
    GET_MODBUS_DEVICES: async () =>
      [...this.#now().targets.values()].map(({ device }) => placeOf(device.map)),
    GET_SERIAL_PORTS: async () => serialPorts(this.#now().stations.map(({ port }) => port)),
    SET_SERIAL_PORT: async (request) => {
      const { host, kept, stations } = this.#now();
      const { port, settings } = readSerialPort(
        request,
        stations.map((station) => station.port),
      );
      await kept.setSerial(port, settings);
      // A line gets its settings when it is opened.
      await this.stop();
      await this.start(host);
      return true;
    },
  };

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  /** Pairs all requested devices once each has answered at its address, or none of them. */
  async #pair(request: AdapterRequest, signal: AbortSignal): Promise<true> {
    const running = this.#now();
    const { kept, stations, targets, host } = running;
    const byName = new Map(stations.map((station) => [station.port.name, station]));
    const known = [...targets.values()].map(({ device }) => device.map);
    const found = await this.#pairings.find({ stations: byName, known, clock: host.clock }, request, signal);
    await kept.pair(found.map(({ paired }) => paired));
    for (const { port, map } of found) attach(running, byName.get(port) as Station, map);
    return true;
  }

  #station(port: PortSettings, host: AdapterHost): Station {
    const line = new Line({
      port,
      host,
      random: this.#random,
      open: (signal) => openConnection(port, host.clock, signal),
      up: () => poller.up(),
      down: () => poller.down(),
    });
    const poller = new Poller(line, host, []);
    return { port, line, poller };
  }
}

/** Adds a device: announces it, polls it and accepts its commands. */
function attach({ host, targets }: Running, station: Station, map: DeviceMap): void {
  const { line, poller, port } = station;
  const device = new PolledDevice(map, port.unreachableAfter);
  targets.set(map.description.native, { line, poller, device, station });
  host.announce(map.description);
  poller.add(device);
}

/** Returns where a device is, in the terms of PAIR_MODBUS, and its native id. */
function placeOf({ address, points, description: { native, radio } }: DeviceMap): object {
  const registers = points.map(({ table, register }) => ({ registerType: registerTypeOf(table), register }));
  return { native, port: radio, address, registers };
}
