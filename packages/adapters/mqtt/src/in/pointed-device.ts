import { type Capability, deviceClassOf, type DeviceClass } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import { at, type Point } from "./point.ts";
import { jsonOf, type Sending, type SourceHost, type Values } from "./source.ts";

/** Where a device says whether it is there. */
export interface Availability {
  readonly topic: string;
  readonly path: readonly string[];
  readonly online: string;
  readonly offline: string;
}

/** A device of which every value has a place. */
export interface PointedDevice {
  readonly native: string;
  readonly radio: string;
  readonly name: string;
  /** By default that of its foremost capability. */
  readonly class?: DeviceClass | undefined;
  /** Beside those of its points. */
  readonly capabilities?: readonly Capability[] | undefined;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly availability: readonly Availability[];
  readonly points: readonly Point[];
}

function describe(device: PointedDevice): DeviceDescription {
  const { native, radio, name, manufacturer, model, points } = device;
  const capabilities = new Set<Capability>(["DEVICE", ...(device.capabilities ?? [])]);
  for (const point of points) for (const each of point.capabilities) capabilities.add(each);
  const all = [...capabilities];
  const of = device.class ?? deviceClassOf(all);
  const extras = points.flatMap(({ extra }) => extra ?? []);
  const stateExtras = extras.length > 0 && { stateExtras: extras };
  return { native, radio, name, manufacturer, model, class: of, capabilities: all, ...stateExtras };
}

/** Devices by the topics that speak of them. */
export class PointedDevices {
  readonly #host: SourceHost;
  readonly #devices = new Map<string, PointedDevice>();
  readonly #byTopic = new Map<string, Set<string>>();
  /** What each place of availability has said, by device and `placeKey`. */
  readonly #said = new Map<string, Map<string, boolean>>();

  constructor(host: SourceHost) {
    this.#host = host;
  }

  /** Adds a device, or replaces what was known of it. */
  put(device: PointedDevice): void {
    const { native, availability } = device;
    const before = this.#devices.get(native);
    this.#devices.set(native, device);
    this.#said.set(native, this.#stillSaid(device));
    const topics = topicsOf(device);
    const more = [...topics].filter((topic) => !this.#byTopic.has(topic));
    for (const topic of topics) {
      const natives = this.#byTopic.get(topic) ?? new Set();
      this.#byTopic.set(topic, natives.add(native));
    }
    this.#host.announce(describe(device));
    this.#host.listen(more);
    if (before !== undefined) this.#unlink(before, topics);
    // Without a word about it, a device is there as long as the broker is.
    if (availability.length === 0) this.#host.reach(native, true);
  }

  /** A device that is described anew says nothing again of what it has said at the same place. */
  #stillSaid({ native, availability }: PointedDevice): Map<string, boolean> {
    const said = this.#said.get(native);
    const keys = new Set(availability.map((place) => placeKey(place)));
    return new Map([...(said ?? [])].filter(([key]) => keys.has(key)));
  }

  remove(native: string): void {
    const device = this.#devices.get(native);
    if (device === undefined) return;
    this.#devices.delete(native);
    this.#said.delete(native);
    this.#unlink(device, new Set());
    this.#host.gone(native);
  }

  heard(topic: string, payload: Buffer): void {
    const natives = this.#byTopic.get(topic);
    if (natives === undefined) return;
    const text = payload.toString("utf8");
    const json = jsonOf(payload);
    const value = (path: readonly string[]): unknown => (path.length === 0 ? (json ?? text) : at(json, path));
    for (const native of natives) {
      const device = this.#devices.get(native);
      if (device === undefined) continue;
      this.#tellReach(device, topic, text, value);
      const before = this.#host.before(native);
      const made: Record<string, unknown> = {};
      let isOwn = false;
      for (const { from, read } of device.points) {
        if (from?.topic !== topic) continue;
        isOwn = true;
        const found = value(from.path);
        if (found !== undefined) Object.assign(made, read(found, { ...before, ...made }));
      }
      if (isOwn) this.#host.report(native, made);
    }
  }

  set(native: string, wanted: Values): readonly Sending[] | undefined {
    const device = this.#devices.get(native);
    if (device === undefined) return undefined;
    const before = this.#host.before(native);
    return device.points.flatMap(({ write, from, attributes }) => {
      const sending = write?.(wanted, before);
      if (sending === undefined) return [];
      // Whoever has nothing to change may have nothing to say.
      const changes = attributes.some((name) => Object.hasOwn(wanted, name) && wanted[name] !== before[name]);
      return [{ ...sending, isAnswered: from !== undefined && changes }];
    });
  }

  #tellReach(
    { native, availability }: PointedDevice,
    topic: string,
    text: string,
    value: (path: readonly string[]) => unknown,
  ): void {
    const said = this.#said.get(native);
    for (const place of availability) {
      if (place.topic !== topic) continue;
      const word = place.path.length === 0 ? text : String(value(place.path));
      if (word === place.online) said?.set(placeKey(place), true);
      else if (word === place.offline) said?.set(placeKey(place), false);
      else continue;
      this.#host.reach(native, [...(said?.values() ?? [])].every(Boolean));
    }
  }

  /** @param kept topics that go on speaking of the device */
  #unlink(device: PointedDevice, kept: ReadonlySet<string>): void {
    const left: string[] = [];
    for (const topic of topicsOf(device)) {
      if (kept.has(topic)) continue;
      const natives = this.#byTopic.get(topic);
      natives?.delete(device.native);
      if (natives?.size !== 0) continue;
      this.#byTopic.delete(topic);
      left.push(topic);
    }
    this.#host.leave(left);
  }
}

function placeKey({ topic, path, online, offline }: Availability): string {
  return JSON.stringify([topic, path, online, offline]);
}

function topicsOf({ points, availability }: PointedDevice): ReadonlySet<string> {
  return new Set([
    ...points.flatMap(({ from }) => (from === undefined ? [] : [from.topic])),
    ...availability.map(({ topic }) => topic),
  ]);
}
