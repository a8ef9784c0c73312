import type { AdapterHost, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Target } from "./commands.ts";
import type { DeviceMap } from "./device-map.ts";
import { mapDevice } from "./device-map.ts";
import type { Line } from "./line.ts";
import { mapModel, suffixOf } from "./map-model.ts";
import type { Models } from "./models.ts";
import { PolledDevice } from "./polled-device.ts";
import type { Poller } from "./poller.ts";
import type { DeviceSettings, PortSettings } from "./settings.ts";

/** A line with its poller. */
export interface Station {
  readonly port: PortSettings;
  readonly line: Line;
  readonly poller: Poller;
}

/** What describes devices: an entry of the profile, or of what was paired. A model describes several. */
export interface Source {
  readonly station: Station;
  readonly device: DeviceSettings;
  readonly isPaired: boolean;
}

type Known = Target & { readonly source: Source };

/**
 * Maps what describes devices.
 * @param path where it is in the settings, for errors; empty for what was paired.
 * @returns no device while its model is unknown.
 * @throws AdapterError `settings`
 */
export function mapsOf(
  port: string,
  device: DeviceSettings,
  models: Models,
  path: string,
): readonly DeviceMap[] {
  if (device.deviceType !== "MODEL") return [mapDevice(port, device, path)];
  const model = models.get(device.modelId);
  if (model === undefined) return [];
  try {
    const maps = mapModel(model, device, port);
    return maps.filter(({ description: { native } }) => {
      const suffix = suffixOf(native, port, device);
      return suffix === undefined || device.without?.includes(suffix) !== true;
    });
  } catch (error) {
    if (!(error instanceof AdapterError) || path === "") throw error;
    throw new AdapterError("settings", `${path}.modelId: ${model.id}: ${error.message}`, { cause: error });
  }
}

/** The devices of all lines. It announces each, has it polled, and finds it by its native id. */
export class Roster {
  readonly #host: AdapterHost;
  readonly #models: Models;
  readonly #targets = new Map<NativeId, Known>();
  readonly #sources = new Set<Source>();
  /** Devices of the profile that somebody has removed; a pairing window finds them again. */
  readonly #forgotten = new Map<NativeId, { readonly source: Source; readonly map: DeviceMap }>();

  constructor(host: AdapterHost, models: Models) {
    this.#host = host;
    this.#models = models;
  }

  get maps(): readonly DeviceMap[] {
    return [...this.#targets.values()].map(({ device }) => device.map);
  }

  get forgotten(): readonly DeviceMap[] {
    return [...this.#forgotten.values()].map(({ map }) => map);
  }

  get(native: NativeId): Known | undefined {
    return this.#targets.get(native);
  }

  /** Returns the ids of the models of which there are devices. */
  modelsInUse(): ReadonlySet<string> {
    const devices = [...this.#sources].map(({ device }) => device);
    return new Set(devices.flatMap((device) => (device.deviceType === "MODEL" ? device.modelId : [])));
  }

  /**
   * Takes up what a source describes.
   * @throws AdapterError `settings`
   */
  add(source: Source, path: string): void {
    const { station, device } = source;
    const maps = mapsOf(station.port.name, device, this.#models, path);
    if (device.deviceType === "MODEL" && this.#models.get(device.modelId) === undefined) {
      const where = { line: station.port.name, device: device.id, model: device.modelId };
      this.#host.log("warn", "a device waits for its model", where);
    }
    this.#sources.add(source);
    for (const map of maps) this.#attach(source, map);
  }

  /** Describes and polls the devices of changed models anew. What a model no longer has becomes unreachable. */
  modelsChanged(changed: ReadonlySet<string>): void {
    for (const source of this.#sources) {
      const { device, station } = source;
      if (device.deviceType !== "MODEL" || !changed.has(device.modelId)) continue;
      try {
        this.#renew(source, mapsOf(station.port.name, device, this.#models, ""));
      } catch (error) {
        // The model is right, but not where this device begins: what was polled goes on.
        const reason = (error as Error).message;
        this.#host.log("warn", "a changed model does not fit a device", { device: device.id, reason });
      }
    }
  }

  /** Stops polling a device for good. Returns what describes it. */
  forget(native: NativeId): Source | undefined {
    const known = this.#targets.get(native);
    if (known === undefined) return undefined;
    this.#detach(native, known);
    const { source } = known;
    if (!source.isPaired) this.#forgotten.set(native, { source, map: known.device.map });
    return source;
  }

  /** Replaces what describes devices; undefined: it describes none any more. */
  replace(source: Source, device: DeviceSettings | undefined): void {
    this.#sources.delete(source);
    if (device === undefined) return;
    const changed = { ...source, device };
    this.#sources.add(changed);
    for (const [native, known] of this.#targets)
      if (known.source === source) this.#targets.set(native, { ...known, source: changed });
  }

  /** Returns whether a source has devices left. */
  hasDevices(source: Source): boolean {
    return [...this.#targets.values()].some((known) => known.source === source);
  }

  /**
   * Takes a forgotten device up again, or announces a known one.
   * @throws AdapterError `refused`
   */
  keep(native: NativeId): void {
    const found = this.#forgotten.get(native);
    this.#forgotten.delete(native);
    const known = this.#targets.get(native);
    if (found) this.#attach(found.source, found.map);
    else if (known) this.#host.announce(known.device.map.description);
    else throw new AdapterError("refused", `no device ${native}`);
  }

  #renew(source: Source, maps: readonly DeviceMap[]): void {
    const natives = new Set(maps.map(({ description }) => description.native));
    for (const [native, known] of this.#targets) {
      if (known.source !== source) continue;
      this.#detach(native, known);
      if (!natives.has(native)) this.#host.report({ native, attributes: { reachable: false } });
    }
    for (const map of maps)
      if (this.#forgotten.has(map.description.native))
        this.#forgotten.set(map.description.native, { source, map });
      else this.#attach(source, map);
  }

  #attach(source: Source, map: DeviceMap): void {
    const { line, poller, port } = source.station;
    const device = new PolledDevice(map, port.unreachableAfter);
    this.#targets.set(map.description.native, { line, poller, device, source });
    this.#host.announce(map.description);
    poller.add(device);
  }

  #detach(native: NativeId, { poller, device }: Known): void {
    this.#targets.delete(native);
    poller.forget(device);
  }
}
