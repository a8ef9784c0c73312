import type { AdapterHost, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { objectIdOf, property } from "../map/object-type.ts";
import type { Point } from "../map/point.ts";
import { decode, encode, isCommandable } from "../map/point.ts";
import type { Address } from "../network/address.ts";
import { Fault } from "../network/fault.ts";
import type { CovNotification } from "../network/messages.ts";
import type { Network } from "../network/network.ts";
import type { ObjectId, Value } from "../network/value.ts";
import type { BacnetClientSettings } from "../settings.ts";
import { Reader } from "./reader.ts";

/** What a station needs of its adapter. */
export interface StationHost {
  readonly host: AdapterHost;
  readonly network: Network;
  readonly settings: BacnetClientSettings;
  /** Finds the device's address; undefined when nobody answers to its number. */
  locate(deviceId: number): Promise<Address | undefined>;
  /** Stores an address for the next start. */
  moved(address: Address): void;
  /** 0..1 */
  readonly random: () => number;
}

/** A point and what the hub knows of it now. */
interface Watched {
  point: Point;
  /** The number of its subscription. */
  readonly process: number;
  reported: boolean | number | undefined;
  reachable: boolean | undefined;
  /** When the subscription is renewed; undefined: there is none. */
  renewAt: number | undefined;
  /** The device has refused a subscription: not asked again before this time. */
  refusedUntil: number;
  complained: boolean;
}

const heardMs = 30_000;
const refusedForMs = 3_600_000;
const backoffMs = { least: 1000, most: 60_000 };
/** Of status flags: in alarm, fault, overridden, out of service. */
const faultFlag = 1;

/** One BACnet device: where it is, what the hub has paired of it, and whether it answers. */
export class Station {
  readonly deviceId: number;
  /** The fixed address of a device whose number others have, too. */
  readonly pinned: Address | null;
  readonly #owner: StationHost;
  readonly #reader: Reader;
  readonly #watched = new Map<NativeId, Watched>();
  #address: Address | undefined;
  #failures = 0;
  #cancelTimer: () => void = () => {};
  #abort = new AbortController();
  #busy: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #checkAt = 0;
  #heardAt = -Infinity;

  constructor(deviceId: number, pinned: Address | null, lastAddress: Address | null, owner: StationHost) {
    this.deviceId = deviceId;
    this.pinned = pinned;
    this.#address = pinned ?? lastAddress ?? undefined;
    this.#owner = owner;
    this.#reader = new Reader(owner.network, owner.settings.retries);
  }

  get address(): Address | undefined {
    return this.#address;
  }

  /** Begins to watch a point. @param process the number of its subscription. */
  add(point: Point, process: number): void {
    const { native } = point.stored;
    this.#watched.set(native, {
      point,
      process,
      reported: undefined,
      reachable: undefined,
      renewAt: undefined,
      refusedUntil: 0,
      complained: false,
    });
    this.#checkAt = 0;
    this.#soon();
  }

  /** Replaces what is known of a point, such as its priority. */
  replace(point: Point): void {
    const watched = this.#watched.get(point.stored.native);
    if (watched !== undefined) watched.point = point;
  }

  /** Ends a subscription and gives up control, as far as the device still answers. */
  forget(native: NativeId): void {
    const watched = this.#watched.get(native);
    this.#watched.delete(native);
    const address = this.#address;
    if (watched === undefined || address === undefined) return;
    const { network } = this.#owner;
    const object = objectOf(watched.point);
    const signal = AbortSignal.timeout(this.#owner.settings.timeoutMs * 2);
    const ignored = (): void => {};
    if (this.#owner.settings.covLifetimeS > 0)
      network.subscribe(address, object, watched.process, undefined, signal).catch(ignored);
    const { stored, mapping } = watched.point;
    if (isCommandable(stored, mapping))
      network
        .writeProperty(address, object, property.presentValue, { tag: "null" }, stored.priority, signal)
        .catch(ignored);
  }

  /** The socket is open: reads everything. */
  opened(): void {
    this.#checkAt = 0;
    this.#soon();
  }

  /** The socket is gone, so no device can be reached. */
  lost(): void {
    this.#cancelTimer();
    for (const watched of this.#watched.values()) this.#unreachable(watched);
  }

  /** The device has spoken. A device that has started again has forgotten subscriptions. */
  heard(address: Address): void {
    if (this.pinned !== null && this.pinned !== address) return;
    if (this.#address !== address) {
      this.#address = address;
      this.#owner.moved(address);
    }
    const now = this.#owner.host.clock.now();
    // Some buildings ask all devices every minute.
    if (this.#failures === 0 && Math.abs(now - this.#heardAt) < heardMs) return;
    this.#heardAt = now;
    for (const watched of this.#watched.values()) watched.renewAt = undefined;
    this.#checkAt = 0;
    this.#soon();
  }

  /** Takes a notification. @returns whether the hub has this subscription. */
  changed({ process, object, values, from }: CovNotification): boolean {
    if (from !== this.#address) return false;
    for (const watched of this.#watched.values()) {
      if (watched.process !== process) continue;
      const { type, instance } = objectOf(watched.point);
      if (object.type !== type || object.instance !== instance) return false;
      this.#take(watched, values);
      return true;
    }
    return false;
  }

  /** Gives up control of an object, which then does what others want. @throws AdapterError, Fault */
  async relinquish(native: NativeId, signal: AbortSignal): Promise<void> {
    const watched = this.#find(native);
    if (!isCommandable(watched.point.stored, watched.point.mapping))
      throw new AdapterError("unsupported", `${watched.point.description.name} has no priorities`);
    const either = AbortSignal.any([signal, this.#abort.signal]);
    const address = await this.#reach(either);
    await this.#write(watched, address, { tag: "null" }, either);
    await this.#readBack(watched, address, either, false);
  }

  /** @throws AdapterError, Fault */
  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const watched = this.#find(native);
    if (command.type !== "set" && command.type !== "refresh")
      throw new AdapterError("unsupported", `BACnet objects do not support ${command.type}`);
    const either = AbortSignal.any([signal, this.#abort.signal]);
    const address = await this.#reach(either);
    if (command.type === "set") await this.#set(watched, address, command.attributes, either);
    await this.#readBack(watched, address, either, command.type === "refresh");
  }

  #find(native: NativeId): Watched {
    const watched = this.#watched.get(native);
    if (watched === undefined) throw new AdapterError("refused", `no device ${native}`);
    return watched;
  }

  async #set(
    watched: Watched,
    address: Address,
    attributes: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { mapping, description } = watched.point;
    if (!mapping.writable) throw new AdapterError("unsupported", `${description.name} cannot be set`);
    await this.#write(watched, address, encoded(watched.point, attributes), signal);
  }

  async #write({ point }: Watched, address: Address, value: Value, signal: AbortSignal): Promise<void> {
    const { commandable, priority } = point.stored;
    const { network, settings } = this.#owner;
    for (let attempt = 0; ; attempt++) {
      try {
        return await network.writeProperty(
          address,
          objectOf(point),
          property.presentValue,
          value,
          commandable ? priority : undefined,
          signal,
        );
      } catch (error) {
        // An absolute value may be written twice.
        if (!(error instanceof Fault) || error.kind !== "timeout" || attempt >= settings.retries) throw error;
      }
    }
  }

  /** Reports what the object has become: a higher priority may rule it, or the device may clamp a value. */
  async #readBack(watched: Watched, address: Address, signal: AbortSignal, again: boolean): Promise<void> {
    const [result] = await this.#reader.read(address, [requestFor(watched.point)], signal);
    if (again) watched.reported = undefined;
    if (result !== undefined) this.#take(watched, result.values);
  }

  async #reach(signal: AbortSignal): Promise<Address> {
    return this.#address ?? (await this.#locate(signal));
  }

  async #locate(signal: AbortSignal): Promise<Address> {
    const address = await this.#owner.locate(this.deviceId);
    if (signal.aborted) throw new Fault("cancelled", "nobody waits for the answer");
    if (address === undefined) throw new Fault("timeout", `nobody answers to device ${this.deviceId}`);
    if (address !== this.#address) {
      this.#address = address;
      this.#owner.moved(address);
    }
    return address;
  }

  stop(): void {
    this.#stopped = true;
    this.#abort.abort();
    this.#cancelTimer();
  }

  #soon(): void {
    this.#cancelTimer();
    if (this.#stopped || !this.#owner.network.isOpen) return;
    this.#cancelTimer = this.#owner.host.clock.after(0, () => this.#begin());
  }

  #begin(): void {
    this.#busy = this.#busy.then(() => this.#round());
  }

  /** Reads what is due, then renews subscriptions. Never rejects. */
  async #round(): Promise<void> {
    const { host, settings, network } = this.#owner;
    if (this.#stopped || !network.isOpen || this.#watched.size === 0) return;
    const now = host.clock.now();
    try {
      // A device may have moved to another address since it was heard.
      const mayHaveMoved = this.#failures > 0 && this.pinned === null;
      const { signal } = this.#abort;
      const address = await (mayHaveMoved ? this.#locate(signal) : this.#reach(signal));
      const checks = now >= this.#checkAt || this.#failures > 0;
      const due = [...this.#watched.values()].filter(({ renewAt }) => checks || renewAt === undefined);
      await this.#readAll(due, address);
      if (checks) this.#checkAt = now + settings.checkMs;
      this.#failures = 0;
      await this.#renew(address, now);
    } catch (error) {
      if (this.#stopped) return;
      this.#failed(error);
    }
    this.#schedule();
  }

  async #readAll(due: readonly Watched[], address: Address): Promise<void> {
    const results = await this.#reader.read(
      address,
      due.map(({ point }) => requestFor(point)),
      this.#abort.signal,
    );
    for (const watched of due) {
      const { type, instance } = objectOf(watched.point);
      const result = results.find(({ object }) => object.type === type && object.instance === instance);
      const { renewAt, reported } = watched;
      if (result === undefined) this.#unreachable(watched);
      else this.#take(watched, result.values);
      // A change that nobody has notified: the device has forgotten the subscription.
      const missed = renewAt !== undefined && reported !== undefined && watched.reported !== reported;
      if (missed) watched.renewAt = undefined;
    }
  }

  async #renew(address: Address, now: number): Promise<void> {
    const { network, settings, host } = this.#owner;
    const lifetime = settings.covLifetimeS;
    if (lifetime === 0) return;
    for (const watched of this.#watched.values()) {
      if (watched.refusedUntil > now || (watched.renewAt ?? now) > now) continue;
      try {
        await network.subscribe(
          address,
          objectOf(watched.point),
          watched.process,
          lifetime,
          this.#abort.signal,
        );
        watched.renewAt = host.clock.now() + lifetime * 500;
      } catch (error) {
        watched.renewAt = undefined;
        if (!(error instanceof Fault) || !error.isAnswer) throw error;
        watched.refusedUntil = now + refusedForMs;
        host.log("debug", "a BACnet device refuses a subscription, so its object is polled", {
          native: watched.point.stored.native,
          reason: error.message,
        });
      }
    }
  }

  #failed(error: unknown): void {
    const { host, settings } = this.#owner;
    if (!(error instanceof Fault)) {
      host.log("error", "reading a BACnet device failed", { device: this.deviceId, reason: String(error) });
    }
    this.#failures += 1;
    if (this.#failures !== settings.unreachableAfter) return;
    host.log("info", "a BACnet device does not answer", {
      device: this.deviceId,
      address: this.#address ?? null,
      reason: (error as Error).message,
    });
    for (const watched of this.#watched.values()) {
      watched.renewAt = undefined;
      this.#unreachable(watched);
    }
  }

  #schedule(): void {
    const { host, settings, random } = this.#owner;
    if (this.#stopped) return;
    this.#cancelTimer();
    this.#cancelTimer = host.clock.after(this.#wait(host.clock.now(), settings, random()), () =>
      this.#begin(),
    );
  }

  #wait(now: number, { pollMs, checkMs }: BacnetClientSettings, chance: number): number {
    if (this.#failures > 0) {
      const base = Math.min(
        backoffMs.most,
        Math.min(pollMs, backoffMs.least) * 2 ** Math.min(this.#failures - 1, 8),
      );
      return Math.round(base * (0.75 + chance / 2));
    }
    const renewals = [...this.#watched.values()].map(({ renewAt }) => renewAt);
    if (renewals.includes(undefined)) return pollMs;
    const next = Math.min(this.#checkAt, ...renewals.map((at) => at ?? now));
    return Math.min(checkMs, Math.max(next - now, Math.min(pollMs, 1000)));
  }

  #take(watched: Watched, values: ReadonlyMap<number, readonly Value[]>): void {
    const { point } = watched;
    const present = values.get(property.presentValue);
    const flags = values.get(property.statusFlags)?.[0];
    const isFaulty = flags?.tag === "bits" && flags.value[faultFlag] === true;
    const value = isFaulty || present === undefined ? undefined : decode(point, present);
    if (value === undefined) {
      if (!isFaulty && present !== undefined) this.#complain(watched, present);
      // What the object shows is not true, so the device cannot be relied upon.
      return this.#unreachable(watched);
    }
    watched.complained = false;
    const isNews = value !== watched.reported || watched.reachable !== true;
    watched.reported = value;
    watched.reachable = true;
    if (!isNews) return;
    const { native } = point.stored;
    this.#owner.host.report({ native, attributes: { reachable: true, [point.attribute]: value } });
  }

  #complain(watched: Watched, present: readonly Value[]): void {
    if (watched.complained) return;
    watched.complained = true;
    const { native } = watched.point.stored;
    this.#owner.host.log("warn", "a BACnet object has an impossible value", {
      native,
      value: present[0] ?? null,
    });
  }

  #unreachable(watched: Watched): void {
    if (watched.reachable === false) return;
    watched.reachable = false;
    this.#owner.host.report({ native: watched.point.stored.native, attributes: { reachable: false } });
  }
}

function encoded(point: Point, attributes: Readonly<Record<string, unknown>>): Value {
  try {
    const value = encode(point, attributes);
    if (value !== undefined) return value;
  } catch (error) {
    if (error instanceof RangeError)
      throw new AdapterError("refused", `${point.attribute}: ${error.message}`, { cause: error });
    throw error;
  }
  throw new AdapterError(
    "unsupported",
    `${point.description.name} has no ${Object.keys(attributes).join(", ")}`,
  );
}

function objectOf({ stored }: Point): ObjectId {
  return objectIdOf(stored);
}

function requestFor(point: Point): { object: ObjectId; properties: number[] } {
  return { object: objectOf(point), properties: [property.presentValue, property.statusFlags] };
}
