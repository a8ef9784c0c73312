import { exposesOf, isRecord } from "@ledge/exposes";
import { limits } from "@ledge/model";
import { devicesOf, type ExposedDevice } from "./exposed-device.ts";
import { jsonOf, type Sending, type Source, type SourceHost, type Values, wordOf } from "./source.ts";

interface Known {
  readonly devices: readonly ExposedDevice[];
  /** What the bridge said of it, to tell whether it says something else now. */
  readonly said: string;
  readonly friendlyName: string;
}

/** Devices of a Zigbee2MQTT bridge: it lists them with their `exposes`, and each has a topic of its name. */
export class Zigbee2mqtt implements Source {
  readonly topics: readonly string[];
  readonly #base: string;
  readonly #host: SourceHost;
  /** By address. */
  readonly #known = new Map<string, Known>();
  readonly #byName = new Map<string, Known>();
  /** Devices that are not there, by name. */
  readonly #offline = new Set<string>();
  #isOnline = true;

  constructor(base: string, host: SourceHost) {
    this.#base = base;
    this.#host = host;
    this.topics = [`${base}/#`];
  }

  heard(topic: string, payload: Buffer): void {
    if (!topic.startsWith(`${this.#base}/`)) return;
    const path = topic.slice(this.#base.length + 1);
    if (path === "bridge/devices") this.#list(jsonOf(payload));
    else if (path === "bridge/state") this.#bridge(payload);
    else if (path.endsWith("/availability"))
      this.#availability(path.slice(0, -"/availability".length), payload);
    else if (!path.startsWith("bridge/")) this.#state(path, payload);
  }

  set(native: string, attributes: Values): readonly Sending[] | undefined {
    for (const { devices, friendlyName } of this.#known.values())
      for (const device of devices) {
        if (device.description.native !== native) continue;
        const properties = device.set(attributes, this.#host.before(native));
        if (Object.keys(properties).length === 0) return [];
        const topic = `${this.#base}/${friendlyName}/set`;
        return [{ topic, payload: JSON.stringify(properties), isAnswered: true }];
      }
    return undefined;
  }

  #list(said: unknown): void {
    if (!Array.isArray(said)) return;
    const listed = new Set<string>();
    this.#byName.clear();
    for (const each of said.slice(0, limits.devices)) {
      const address = isRecord(each) ? wordOf(each["ieee_address"]) : null;
      if (address === null || listed.has(address) || !isRecord(each)) continue;
      if (each["type"] === "Coordinator" || each["disabled"] === true || !isRecord(each["definition"]))
        continue;
      listed.add(address);
      this.#describe(address, each, each["definition"]);
    }
    for (const [address, { devices }] of this.#known) {
      if (listed.has(address)) continue;
      this.#known.delete(address);
      for (const { description } of devices) this.#host.gone(description.native);
    }
  }

  #describe(address: string, each: Values, definition: Values): void {
    const friendlyName = wordOf(each["friendly_name"], 256) ?? address;
    // Nobody could be told anything at such a topic.
    if (/[+#\0]/.test(friendlyName)) return;
    const said = JSON.stringify([
      friendlyName,
      definition["vendor"],
      definition["model"],
      definition["exposes"],
    ]);
    const before = this.#known.get(address);
    if (before?.said === said) {
      this.#byName.set(friendlyName, before);
      return;
    }
    const make = {
      native: `${this.#base}/${address}`,
      name: friendlyName.slice(0, limits.nameChars),
      manufacturer: wordOf(definition["vendor"]),
      model: wordOf(definition["model"]),
    };
    const devices = devicesOf(make, exposesOf(definition["exposes"]), this.#base);
    const known = { devices, said, friendlyName };
    this.#known.set(address, known);
    this.#byName.set(friendlyName, known);
    const natives = new Set(devices.map(({ description }) => description.native));
    for (const { description } of before?.devices ?? [])
      if (!natives.has(description.native)) this.#host.gone(description.native);
    for (const { description } of devices) this.#host.announce(description);
    this.#tellReach(friendlyName);
  }

  #bridge(payload: Buffer): void {
    this.#isOnline = isOnline(payload);
    for (const name of this.#byName.keys()) this.#tellReach(name);
  }

  #availability(name: string, payload: Buffer): void {
    if (isOnline(payload)) this.#offline.delete(name);
    else if (this.#byName.has(name)) this.#offline.add(name);
    this.#tellReach(name);
  }

  #tellReach(name: string): void {
    for (const { description } of this.#byName.get(name)?.devices ?? [])
      this.#host.reach(description.native, this.#isOnline && !this.#offline.has(name));
  }

  #state(name: string, payload: Buffer): void {
    const known = this.#byName.get(name);
    if (known === undefined) return;
    const said = jsonOf(payload);
    if (!isRecord(said)) return;
    for (const device of known.devices) {
      const { native } = device.description;
      this.#host.report(native, device.read(said, this.#host.before(native)));
    }
  }
}

/** `online`, or the same in JSON as newer versions say it. */
function isOnline(payload: Buffer): boolean {
  const said = jsonOf(payload);
  return (isRecord(said) ? said["state"] : payload.toString("utf8")) === "online";
}
