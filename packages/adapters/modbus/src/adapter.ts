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
import { type SerialFormat, serialRequests } from "@ledge/serial";
import { carryOut } from "./commands.ts";
import { openConnection } from "./connection.ts";
import type { DeviceMap } from "./device-map.ts";
import { commandError } from "./fault.ts";
import { Kept } from "./kept.ts";
import { Line } from "./line.ts";
import { suffixOf } from "./map-model.ts";
import type { ModelNews } from "./models.ts";
import { Models } from "./models.ts";
import { pairings, registerTypeOf } from "./pair-command.ts";
import { Pairings } from "./pairing.ts";
import { Poller } from "./poller.ts";
import type { Source, Station } from "./roster.ts";
import { Roster } from "./roster.ts";
import type { PortSettings } from "./settings.ts";
import { baudRates, readSettings, serialPorts } from "./settings.ts";

/**
 * Makes the Modbus client for TCP and serial lines (application protocol v1.1b3). Its devices are those of
 * its settings (`readSettings`) and those that were paired. A device's native id is `<port name>/<device
 * id>`, of a part of a model `<port name>/<device id>.<part>`; its radio is the port name.
 * @param random 0..1, spreads reconnections.
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new ModbusAdapter(random);
}

/** How often the folder with models is looked at. */
const modelsMs = 2000;

interface Running {
  readonly host: AdapterHost;
  readonly kept: Kept;
  readonly models: Models;
  readonly stations: ReadonlyMap<string, Station>;
  readonly roster: Roster;
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
  #stopTimer: () => void = () => {};
  #starting: Promise<unknown> = Promise.resolve();
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    const started = this.#starting.then(() => this.#start(host));
    this.#starting = started.catch(() => {});
    await started;
  }

  async #start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    if (this.#running !== undefined) return;
    const kept = new Kept(host.store);
    const { ports: described, modelsFolder } = readSettings(host.settings);
    const ports = kept.merged(described);
    const models = new Models(modelsFolder);
    for (const { device } of kept.paired)
      if (device.deviceType === "MODEL") models.addCopy(kept.modelFile(device.modelId));
    complain(host, await models.refresh());
    const stations = new Map(ports.map((port) => [port.name, this.#station(port, host)]));
    const roster = new Roster(host, models);
    const paired = new Set<unknown>(kept.paired.map(({ device }) => device));
    for (const [index, port] of ports.entries())
      for (const [place, device] of port.devices.entries()) {
        const source: Source = {
          station: stations.get(port.name) as Station,
          device,
          isPaired: paired.has(device),
        };
        roster.add(source, `ports[${index}].devices[${place}]`);
      }
    this.#running = { host, kept, models, stations, roster };
    for (const { line } of stations.values()) line.start();
    this.#watch(this.#running);
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    const { stations } = this.#running ?? {};
    this.#running = undefined;
    const all = [...(stations?.values() ?? [])];
    for (const { poller } of all) poller.stop();
    if (all.length > 0) this.#stopped = Promise.all(all.map(({ line }) => line.stop()));
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const target = this.#now().roster.get(native);
    if (target === undefined) throw new AdapterError("refused", `no device ${native}`);
    try {
      await carryOut(target, command, signal);
    } catch (error) {
      throw commandError(error);
    }
  }

  /** Deletes a paired device for good; a pairing window can find a device of the settings again. */
  async forget(native: NativeId): Promise<void> {
    const { roster, kept } = this.#running ?? {};
    const source = roster?.forget(native);
    if (roster === undefined || kept === undefined || source?.isPaired !== true) return;
    const { station, device } = source;
    const left = roster.hasDevices(source) ? withoutPart(device, native, station.port.name) : undefined;
    roster.replace(source, left);
    await kept.change(station.port.name, device.id, left);
  }

  readonly pairing: Pairing = {
    open: async () => {
      const { host, roster } = this.#now();
      for (const { description } of roster.forgotten) {
        const complete = { status: "COMPLETE", actionRequired: false, help: null } as const;
        host.found({ native: description.native, description, ...complete });
      }
    },
    close: async () => {},
    keep: async (native) => this.#now().roster.keep(native),
    discard: async () => {},
  };

  readonly protocolCommands: RequestTable = {
    GET_MODBUS_PAIRINGS: async () => pairings(this.#now().models.all),
    GET_MODBUS_STATISTICS: async () =>
      [...this.#now().stations.values()].map(({ port, line, poller }) => ({
        type: "MODBUS_LINE_STATISTICS",
        port: port.name,
        connected: line.isUp,
        ...line.statistics.shown(),
        silent: poller.silent,
      })),
    PAIR_MODBUS: (request, signal) => this.#pair(request, signal),
    GET_MODBUS_MODELS: async () => {
      const { models, roster } = this.#now();
      const inUse = roster.modelsInUse();
      const shown = models.all.map(({ id, manufacturer, name, about = null }) => {
        const isOwn = models.fileOf(id) !== undefined;
        return { type: "MODBUS_MODEL", modelId: id, manufacturer, name, about, isOwn, inUse: inUse.has(id) };
      });
      return { type: "MODBUS_MODELS", models: shown, problems: models.problems };
    },
  };

  readonly requests: RequestTable = {
    GET_MODBUS_DEVICES: async () => {
      const { roster } = this.#now();
      return roster.maps.map((map) => placeOf(map, roster, this.#now().models));
    },
    ...serialRequests({
      controllerType: "MODBUS_CONTROLLER",
      baudRates,
      ports: () => serialPorts([...this.#now().stations.values()].map(({ port }) => port)),
      change: (name, format) => this.#setFormat(name, format),
    }),
  };

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  async #setFormat(port: string, format: SerialFormat): Promise<void> {
    const { host, kept } = this.#now();
    await kept.setSerial(port, format);
    // A port gets its format when it is opened.
    await this.stop();
    await this.start(host);
  }

  /** Pairs all requested devices once each has answered at its address, or none of them. */
  async #pair(request: AdapterRequest, signal: AbortSignal): Promise<true> {
    const { kept, stations, roster, host, models } = this.#now();
    const lines = { stations, known: roster.maps, models, clock: host.clock };
    const paired = await this.#pairings.find(lines, request, signal);
    await this.#keepModels(
      paired.flatMap(({ device }) => (device.deviceType === "MODEL" ? device.modelId : [])),
    );
    await kept.pair(paired);
    for (const { port, device } of paired)
      roster.add({ station: stations.get(port) as Station, device, isPaired: true }, "");
    return true;
  }

  async #keepModels(ids: Iterable<string>): Promise<void> {
    const { kept, models } = this.#now();
    for (const id of ids) {
      const file = models.fileOf(id);
      if (file !== undefined) await kept.keepModelFile(id, file);
    }
  }

  #watch(running: Running): void {
    this.#stopTimer = running.host.clock.after(modelsMs, () => void this.#look(running));
  }

  async #look(running: Running): Promise<void> {
    const { models, host, roster } = running;
    const news = await models.refresh();
    if (this.#running !== running) return;
    complain(host, news);
    roster.modelsChanged(news.changed);
    this.#watch(running);
    const inUse = roster.modelsInUse();
    await this.#keepModels([...news.changed].filter((id) => inUse.has(id))).catch((error: unknown) =>
      host.log("warn", "a model was not stored", { reason: (error as Error).message }),
    );
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

function complain({ log }: AdapterHost, { problems }: ModelNews): void {
  for (const { file, field, message } of problems)
    log("warn", "a file is no model", { file, ...(field !== "" && { field }), reason: message });
}

function withoutPart(device: Source["device"], native: NativeId, port: string): Source["device"] | undefined {
  if (device.deviceType !== "MODEL") return undefined;
  const part = suffixOf(native, port, device);
  return part === undefined ? undefined : { ...device, without: [...(device.without ?? []), part] };
}

/** Returns where a device is, in the terms of PAIR_MODBUS, and its native id. */
function placeOf(
  { address, points, description: { native, radio } }: DeviceMap,
  roster: Roster,
  models: Models,
): object {
  const registers = points.map(({ table, register }) => ({ registerType: registerTypeOf(table), register }));
  const device = roster.get(native)?.source.device;
  const model = device?.deviceType === "MODEL" ? models.get(device.modelId) : undefined;
  const asModel = model && {
    registerType: model.number,
    register: device?.deviceType === "MODEL" ? (device.register ?? 0) : 0,
  };
  return { native, port: radio, address, registers: [...registers, ...(asModel ? [asModel] : [])] };
}
