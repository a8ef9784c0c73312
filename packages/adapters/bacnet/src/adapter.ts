import type {
  Adapter,
  AdapterHost,
  AdapterRequest,
  DeviceCommand,
  NativeId,
  RequestTable,
} from "@ledge/port";
import { AdapterError, ClientCommands, pause, refuseSetting } from "@ledge/port";
import { Directory, type FoundHost } from "./client/directory.ts";
import { Station } from "./client/station.ts";
import { Kept, stationKey } from "./kept.ts";
import { type Hold, lowestPriority, readHold } from "./map/hold.ts";
import { possibleDevices } from "./map/map.ts";
import { pointOf, type StoredPoint } from "./map/point.ts";
import type { Address } from "./network/address.ts";
import { commandError } from "./network/fault.ts";
import type { IAm } from "./network/messages.ts";
import { Network } from "./network/network.ts";
import type { PairRequest } from "./pair.ts";
import { hostsOf, isOf, readPair, readScan } from "./pair.ts";
import { readHome } from "./server/home.ts";
import { localPairings } from "./server/local.ts";
import { Server } from "./server/server.ts";
import type { BacnetClientSettings } from "./settings.ts";
import { readSettings } from "./settings.ts";

/**
 * Makes the BACnet/IP client (ASHRAE 135, annex J). Its devices are objects of BACnet devices that were paired.
 * @param random 0..1, spreads requests to devices that do not answer.
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new BacnetAdapter(random);
}

interface Running {
  readonly host: AdapterHost;
  readonly settings: BacnetClientSettings;
  readonly kept: Kept;
  readonly network: Network;
  readonly directory: Directory;
  readonly stations: Map<string, Station>;
  /** The station of each device of the hub. */
  readonly places: Map<NativeId, Station>;
  /** Ends what waits for answers of nobody in particular. */
  readonly abort: AbortController;
  readonly server: Server;
  readonly commands: ClientCommands;
}

class BacnetAdapter implements Adapter {
  readonly protocol = "bacnet";
  /** A small device takes one request at a time. */
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;
  #stopped: Promise<unknown> = Promise.resolve();
  #paired = 0;
  #process = 0;
  #serverPort: number | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings, this.#serverPort);
    const network = this.#network(host, settings);
    const commands = new ClientCommands(host.clock);
    const { timeoutMs, retries } = settings;
    const server = new Server({
      host,
      network,
      timeoutMs,
      retries,
      command: (command) => commands.give(command),
    });
    const running: Running = {
      host,
      settings,
      server,
      commands,
      network,
      kept: new Kept(host.store),
      directory: new Directory(network, settings.retries, host.log),
      stations: new Map(),
      places: new Map(),
      abort: new AbortController(),
    };
    this.#running = running;
    for (const point of running.kept.points) this.#attach(running, point);
    await network.tried;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      running.abort.abort();
      running.directory.stop();
      running.server.configure(undefined);
      running.commands.stop();
      for (const station of running.stations.values()) station.stop();
      this.#stopped = running.network.stop();
    }
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { server, places } = this.#now();
    if (server.isLocal(native)) return server.sendLocal(native, command);
    const station = places.get(native);
    if (station === undefined) throw new AdapterError("refused", `no device ${native}`);
    try {
      await station.send(native, command, signal);
    } catch (error) {
      throw commandError(
        this.#running === undefined ? new AdapterError("stopped", "the adapter has stopped") : error,
      );
    }
  }

  async forget(native: NativeId): Promise<void> {
    const running = this.#running;
    if (running?.server.isLocal(native) === true) return await running.server.forgetLocal(native);
    const station = running?.places.get(native);
    if (running === undefined || station === undefined) return;
    running.places.delete(native);
    station.forget(native);
    await running.kept.remove(native);
  }

  readonly requests: RequestTable = {
    SCAN_BACNET_DEVICE: async (request) => {
      this.#now().directory.begin(readScan(request));
      return true;
    },
    GET_BACNET_DEVICES: async () => {
      const { directory, kept } = this.#now();
      return hostsOf(directory.hosts, kept.points);
    },
    PAIR_BACNET_DEVICE: (request, signal) => this.#pair(request, signal),
    GET_BACNET_LOCAL_TYPES: async () => localPairings(),
    CREATE_BACNET_DEVICE: async ({ id }) => {
      const { server } = this.#now();
      if (!server.isOn) throw new AdapterError("refused", "the BACnet server is not enabled");
      await server.createLocal(String(id));
      return true;
    },
    SERVE_HOME: async (request) => {
      const home = readHome(request);
      const { bacnet } = home;
      if (bacnet !== undefined && bacnet?.port !== this.#serverPort) await this.#listenAt(bacnet?.port);
      const { server } = this.#now();
      if (bacnet !== undefined) server.configure(bacnet ?? undefined);
      server.take(home.devices, home.full);
      return true;
    },
    SET_CONFIGURATION: async ({ native, parameters }, signal) =>
      await this.#hold(String(native), readHold(parameters), signal),
    TAKE_CLIENT_COMMANDS: async (request, signal) => this.#now().commands.take(request, signal),
  };

  /** Changes how an object is held. What the hub has commanded at another priority is let go. */
  async #hold(native: NativeId, wanted: Partial<Hold>, signal: AbortSignal): Promise<true> {
    const { kept, places, host } = this.#now();
    const stored = kept.points.find((point) => point.native === native);
    const station = places.get(native);
    if (stored === undefined || station === undefined)
      throw new AdapterError("refused", `no device ${native}`);
    const { priority = stored.priority, relinquish = false } = wanted;
    if (relinquish || priority !== stored.priority)
      await station.relinquish(native, signal).catch((error: unknown) => {
        throw commandError(error);
      });
    const point = pointOf({ ...stored, priority });
    if (point === undefined) throw new AdapterError("refused", `no device ${native}`);
    await kept.put(point.stored);
    station.replace(point);
    host.announce(point.description);
    return true;
  }

  /** A node has one port: that of its server while that is on. */
  async #listenAt(port: number | undefined): Promise<void> {
    const { host } = this.#now();
    this.#serverPort = port;
    await this.stop();
    await this.start(host);
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  #network(host: AdapterHost, settings: BacnetClientSettings): Network {
    const { clock, log } = host;
    let lost = "";
    return new Network(
      { ...settings, clock, log },
      {
        opened: () => {
          lost = "";
          this.#running?.server.announce();
          for (const station of this.#running?.stations.values() ?? []) station.opened();
        },
        lost: (reason) => {
          if (reason !== lost) log("warn", "the BACnet port cannot be used", { port: settings.port, reason });
          lost = reason;
          for (const station of this.#running?.stations.values() ?? []) station.lost();
        },
        failed: (reason) => log("warn", "the BACnet library failed on a frame", { reason }),
        iAm: (iAm) => this.#heard(iAm),
        changed: (notification) => {
          for (const station of this.#running?.stations.values() ?? [])
            if (station.changed(notification)) return true;
          return false;
        },
      },
    );
  }

  #heard(iAm: IAm): void {
    const running = this.#running;
    if (running === undefined) return;
    running.directory.heard(iAm);
    for (const station of running.stations.values()) {
      if (station.deviceId !== iAm.deviceId) continue;
      // Of several devices with one number, the one that was paired goes on.
      if (station.pinned === null && station.address !== undefined && station.address !== iAm.address)
        continue;
      station.heard(iAm.address);
    }
  }

  #attach(running: Running, stored: StoredPoint): void {
    const point = pointOf(stored);
    if (point === undefined) {
      running.host.log("warn", "a paired BACnet object no longer fits", { native: stored.native });
      return;
    }
    const key = stationKey(stored);
    let station = running.stations.get(key);
    if (station === undefined) {
      station = new Station(stored.deviceId, stored.address, stored.lastAddress, {
        host: running.host,
        network: running.network,
        settings: running.settings,
        random: this.#random,
        locate: (deviceId) => this.#locate(running, deviceId),
        moved: (address) => void running.kept.moved(key, address).catch(() => {}),
      });
      running.stations.set(key, station);
    }
    running.places.set(stored.native, station);
    running.host.announce(point.description);
    this.#process = (this.#process % 0xffff) + 1;
    station.add(point, this.#process);
  }

  /** Asks for a device by its number. Of several, none can be told to be the one. */
  async #locate(running: Running, deviceId: number): Promise<Address | undefined> {
    const found = await this.#answering(running, deviceId);
    return found.length === 1 ? found[0]?.address : undefined;
  }

  async #answering(running: Running, deviceId: number, address?: Address): Promise<readonly IAm[]> {
    const { directory, host, settings, abort } = running;
    return await directory.locate(deviceId, pause(host.clock, settings.timeoutMs, abort.signal), address);
  }

  /** Pairs an object once it has shown a value. */
  async #pair(request: AdapterRequest, signal: AbortSignal): Promise<true> {
    const running = this.#now();
    const wanted = readPair(request);
    const { host: found, isShared } = await this.#find(running, wanted, signal);
    const object = found.objects.find(
      ({ type, instance }) => type === wanted.type && instance === wanted.instance,
    );
    if (object === undefined)
      return refuseSetting("objectId", `device ${wanted.deviceId} has no ${wanted.type} ${wanted.instance}`);
    const possible = possibleDevices(object);
    if (!(possible as readonly string[]).includes(wanted.capability))
      refuseSetting("capability", `must be one of ${possible.join(", ")}`);
    const address = isShared ? found.iAm.address : null;
    if (running.kept.points.some((point) => isOf(point, found, object)))
      refuseSetting("objectId", "is paired already");
    // An id must never repeat: the hub remembers the ids of devices that it has removed.
    const stamp = `${running.host.clock.now().toString(36)}${(this.#paired++).toString(36)}`;
    const stored: StoredPoint = {
      native: `${wanted.deviceId}/${object.type}/${object.instance}/${stamp}`,
      deviceId: wanted.deviceId,
      address,
      lastAddress: found.iAm.address,
      ...object,
      capability: wanted.capability,
      vendor: found.vendorName || null,
      model: found.modelName || null,
      priority: lowestPriority,
    };
    await running.kept.put(stored);
    this.#attach(running, stored);
    return true;
  }

  async #find(
    running: Running,
    { deviceId, type, instance, address }: PairRequest,
    signal: AbortSignal,
  ): Promise<{ readonly host: FoundHost; readonly isShared: boolean }> {
    const known = running.directory.hosts.filter(({ iAm }) => iAm.deviceId === deviceId);
    const answering =
      known.length > 0 ? known.map(({ iAm }) => iAm) : await this.#answering(running, deviceId, address);
    const isShared = new Set(answering.map((iAm) => iAm.address)).size > 1;
    const chosen = address === undefined ? answering : answering.filter((iAm) => iAm.address === address);
    const [iAm, other] = chosen;
    if (iAm === undefined)
      throw new AdapterError(
        "refused",
        `nobody answers to device ${deviceId}${address === undefined ? "" : ` at ${address}`}`,
      );
    if (other !== undefined)
      refuseSetting(
        "address",
        `is missing: ${chosen.map((each) => each.address).join(" and ")} have this number`,
      );
    const host = known.find((each) => each.iAm === iAm);
    const hasObject = host?.objects.some((object) => object.type === type && object.instance === instance);
    if (host !== undefined && hasObject === true) return { host, isShared };
    try {
      return { host: await running.directory.explore(iAm, { object: { type, instance } }, signal), isShared };
    } catch (error) {
      throw commandError(error);
    }
  }
}
