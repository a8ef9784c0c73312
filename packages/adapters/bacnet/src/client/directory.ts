import type { AdapterLog } from "@ledge/port";
import type { Address } from "../network/address.ts";
import { commandError } from "../network/fault.ts";
import type { IAm, ReadResult } from "../network/messages.ts";
import type { Network } from "../network/network.ts";
import type { ObjectId } from "../network/value.ts";
import { numberOf, textOf } from "../network/value.ts";
import type { ObjectType } from "../map/object-type.ts";
import { deviceType, objectIdOf, objectTypeOf, objectTypes, property } from "../map/object-type.ts";
import { noUnits } from "../map/units.ts";
import { Reader } from "./reader.ts";

/** An object that was found. */
export interface FoundObject {
  readonly type: ObjectType;
  readonly instance: number;
  readonly name: string;
  readonly unit: number;
  /** Of a multi-state object; 0 when it does not tell. */
  readonly states: number;
  readonly commandable: boolean;
}

/** A device that was found, with the objects that can be devices of the hub. */
export interface FoundHost {
  readonly iAm: IAm;
  readonly vendorName: string;
  readonly modelName: string;
  readonly objects: readonly FoundObject[];
}

/** What to look for. */
export interface Search {
  readonly address?: string | undefined;
  readonly deviceId?: number | undefined;
  readonly object?: { readonly type: ObjectType; readonly instance: number } | undefined;
}

const hostsAtMost = 1000;
const exploredAtOnce = 4;
const namesAtMost = 64;

/** What the last search has found. */
export class Directory {
  readonly #network: Network;
  readonly #retries: number;
  readonly #log: AdapterLog;
  readonly #hosts = new Map<string, FoundHost>();
  readonly #queue: IAm[] = [];
  #exploring = 0;
  #search: Search | undefined;
  #abort = new AbortController();
  #seen = new Set<string>();
  #waiting: { readonly deviceId: number; readonly found: (iAm: IAm) => void }[] = [];

  constructor(network: Network, retries: number, log: AdapterLog) {
    this.#network = network;
    this.#retries = retries;
    this.#log = log;
  }

  get hosts(): readonly FoundHost[] {
    return [...this.#hosts.values()];
  }

  /** Forgets the last search and begins another. Its finds arrive by and by. */
  begin(search: Search): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#search = search;
    this.#queue.length = 0;
    this.#seen = new Set();
    this.#hosts.clear();
    const { deviceId, address } = search;
    this.#network.whoIs(deviceId === undefined ? undefined : [deviceId, deviceId], address);
  }

  /** Takes what a device says of itself, asked or not. */
  heard(iAm: IAm): void {
    for (const { deviceId, found } of this.#waiting) if (deviceId === iAm.deviceId) found(iAm);
    const { address, deviceId } = this.#search ?? {};
    if (this.#search === undefined || this.#seen.size >= hostsAtMost) return;
    if ((address ?? iAm.address) !== iAm.address || (deviceId ?? iAm.deviceId) !== iAm.deviceId) return;
    const key = keyOf(iAm);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#queue.push(iAm);
    this.#next();
  }

  /** Collects the devices with a number, at an address or anywhere, that answer in time. */
  async locate(deviceId: number, until: Promise<void>, address?: Address): Promise<readonly IAm[]> {
    const found = new Map<string, IAm>();
    const wait = { deviceId, found: (iAm: IAm) => void found.set(iAm.address, iAm) };
    this.#waiting.push(wait);
    this.#network.whoIs([deviceId, deviceId], address);
    await until;
    this.#waiting = this.#waiting.filter((each) => each !== wait);
    return [...found.values()];
  }

  /** Reads one device and adds it to the finds. @throws Fault */
  async explore(iAm: IAm, search: Search, signal: AbortSignal): Promise<FoundHost> {
    const reader = new Reader(this.#network, this.#retries);
    const device = { type: deviceType, instance: iAm.deviceId };
    const [own] = await reader.read(
      iAm.address,
      [{ object: device, properties: [property.vendorName, property.modelName] }],
      signal,
    );
    const { object } = search;
    const list =
      object === undefined ? await reader.objects(iAm.address, iAm.deviceId, signal) : [objectIdOf(object)];
    const requests = list.filter(({ type }) => objectTypeOf(type) !== undefined).map(requestFor);
    const objects = (await reader.read(iAm.address, requests, signal)).flatMap(foundIn);
    const nameOf = (id: number): string => (textOf(own?.values.get(id)) ?? "").slice(0, namesAtMost);
    const host = {
      iAm,
      vendorName: nameOf(property.vendorName),
      modelName: nameOf(property.modelName),
      objects,
    };
    return host;
  }

  stop(): void {
    this.#abort.abort();
    this.#search = undefined;
    this.#queue.length = 0;
  }

  #next(): void {
    while (this.#exploring < exploredAtOnce) {
      const iAm = this.#queue.shift();
      if (iAm === undefined || this.#search === undefined) return;
      this.#exploring += 1;
      void this.#exploreNext(iAm, this.#search, this.#abort.signal);
    }
  }

  async #exploreNext(iAm: IAm, search: Search, signal: AbortSignal): Promise<void> {
    try {
      const host = await this.explore(iAm, search, signal);
      if (!signal.aborted) this.#hosts.set(keyOf(iAm), host);
    } catch (error) {
      const reason = (commandError(error) as Error).message;
      if (!signal.aborted)
        this.#log("warn", "a BACnet device was found but cannot be read", { ...iAm, reason });
    } finally {
      this.#exploring -= 1;
      this.#next();
    }
  }
}

const keyOf = ({ deviceId, address }: IAm): string => `${deviceId}@${address}`;

function requestFor(object: ObjectId): { object: ObjectId; properties: number[] } {
  const type = objectTypeOf(object.type) as ObjectType;
  const { kind, role } = objectTypes[type];
  const further = [
    ...(kind === "analog" ? [property.units] : []),
    ...(kind === "multiState" ? [property.numberOfStates] : []),
    ...(role === "input" ? [] : [property.priorityArray]),
  ];
  return { object, properties: [property.objectName, property.presentValue, ...further] };
}

function foundIn({ object, values }: ReadResult): readonly FoundObject[] {
  const type = objectTypeOf(object.type);
  // An object without a value is none, whatever the list says.
  if (type === undefined || !values.has(property.presentValue)) return [];
  return [
    {
      type,
      instance: object.instance,
      name:
        (textOf(values.get(property.objectName)) ?? "").slice(0, namesAtMost) || `${type} ${object.instance}`,
      unit: numberOf(values.get(property.units)) ?? noUnits,
      states: numberOf(values.get(property.numberOfStates)) ?? 0,
      commandable: values.has(property.priorityArray) || objectTypes[type].role === "output",
    },
  ];
}
