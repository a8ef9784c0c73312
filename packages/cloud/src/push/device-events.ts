import type { Bus, JsonObject, RegisterStore } from "@ledge/fleet";
import type { ChangeType } from "@ledge/link";
import { limits } from "@ledge/model";
import { followDeviceEvents, type PublishedEvent } from "../registers/device-news.ts";
import { reportedState } from "../registers/reported-state.ts";

/**
 * A change of a device (platform-api 6), each change one. Deprecated: `DeviceStateDeviceRegisterPush` replaces it.
 * `state` is the state of the device when the event is sent; null for one that is gone or has none.
 */
export interface DeviceEvent {
  readonly deviceRegisterId: string;
  readonly deviceId: string;
  readonly eventType: ChangeType;
  /** ms since the epoch, by the clock of the hub. */
  readonly timestamp: number;
  /** The attributes or fields that changed; null when they were too long to be told. */
  readonly changed: JsonObject | null;
  readonly state: JsonObject | null;
  /** The place of the event in its log. */
  readonly ref: string;
}

export interface DeviceEventsOptions {
  readonly bus: Pick<Bus, "subscribe">;
  readonly registers: Pick<RegisterStore, "get">;
  /** Returns what the connection may read of a register now. */
  readonly reads: (register: string) => "all" | "visible" | undefined;
}

interface Subscription {
  isAll: boolean;
  readonly devices: Set<string>;
  /** Devices of which a reader knows that may not see all of them. */
  readonly seen: Set<string>;
  readonly stop: () => void;
}

/**
 * What one connection has subscribed to, and its open streams. Without a stream nothing is kept. Subscriptions to
 * devices and to all of a register do not add up: who has subscribed to all unsubscribes from all.
 */
export class DeviceEvents {
  readonly #options: DeviceEventsOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #streams = new Set<EventStream>();

  constructor(options: DeviceEventsOptions) {
    this.#options = options;
  }

  /** Subscribes to all devices of a register. @returns false when there are too many subscriptions */
  subscribeAll(register: string): boolean {
    const subscription = this.#of(register);
    if (subscription === undefined) return false;
    subscription.isAll = true;
    return true;
  }

  /** Ends all subscriptions to a register, single devices included. */
  unsubscribeAll(register: string): void {
    this.#subscriptions.get(register)?.stop();
    this.#subscriptions.delete(register);
  }

  /** Subscribes to devices of a register. @returns false when there are too many subscriptions */
  subscribe(register: string, devices: readonly string[]): boolean {
    const held = this.#subscriptions.get(register)?.devices ?? new Set();
    const more = devices.filter((id) => !held.has(id)).length;
    if (this.#devices + more > limits.deviceEventsDevices) return false;
    const subscription = this.#of(register);
    if (subscription === undefined) return false;
    for (const id of devices) subscription.devices.add(id);
    return true;
  }

  /** Unsubscribes from devices; changes nothing where the connection has subscribed to the whole register. */
  unsubscribe(register: string, devices: readonly string[]): void {
    const subscription = this.#subscriptions.get(register);
    if (subscription === undefined || subscription.isAll) return;
    for (const id of devices) subscription.devices.delete(id);
    if (subscription.devices.size === 0) this.unsubscribeAll(register);
  }

  /** Opens a stream; undefined when there are too many. */
  open(): EventStream | undefined {
    if (this.#streams.size >= limits.readersPerUser) return undefined;
    const stream = new EventStream();
    this.#streams.add(stream);
    return stream;
  }

  close(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  /** Ends everything: the connection has closed. */
  end(): void {
    for (const register of this.#subscriptions.keys()) this.unsubscribeAll(register);
    this.#streams.clear();
  }

  get #devices(): number {
    let count = 0;
    for (const { devices } of this.#subscriptions.values()) count += devices.size;
    return count;
  }

  #of(register: string): Subscription | undefined {
    const known = this.#subscriptions.get(register);
    if (known !== undefined) return known;
    if (this.#subscriptions.size >= limits.watchedPerUser) return undefined;
    const stop = followDeviceEvents(this.#options.bus, register, (event) => this.#deliver(register, event));
    const subscription = { isAll: false, devices: new Set<string>(), seen: new Set<string>(), stop };
    this.#subscriptions.set(register, subscription);
    return subscription;
  }

  async #deliver(register: string, event: PublishedEvent): Promise<void> {
    const { device, type, timestamp, changed = null, ref } = event;
    const subscription = this.#subscriptions.get(register);
    const isWanted = subscription?.isAll || subscription?.devices.has(device);
    if (subscription === undefined || !isWanted || this.#streams.size === 0) return;
    const row = await this.#options.registers.get({ register, kind: "device", id: device });
    const held = row?.kind === "device" ? row : undefined;
    // The right may have ended meanwhile.
    const reads = this.#options.reads(register);
    if (reads === undefined) return this.unsubscribeAll(register);
    if (reads === "visible") {
      if (held?.object?.["visible"] === false) return;
      // Nobody can tell whether a device that is gone was hidden.
      if (held === undefined && !subscription.seen.delete(device)) return;
      if (held !== undefined) subscription.seen.add(device);
    }
    const message: DeviceEvent = {
      deviceRegisterId: register,
      deviceId: device,
      eventType: type,
      timestamp,
      changed,
      state: held === undefined ? null : reportedState(held),
      ref,
    };
    for (const stream of this.#streams) stream.add(message);
  }
}

/** The events that wait for one stream, each of them. */
export class EventStream {
  #waiting: DeviceEvent[] = [];
  #isOverrun = false;
  #wake: () => void = () => {};

  /** Whether more than `limits.deviceEventsWaiting` events have waited: some are lost. */
  get isOverrun(): boolean {
    return this.#isOverrun;
  }

  add(event: DeviceEvent): void {
    if (this.#isOverrun) return;
    if (this.#waiting.length >= limits.deviceEventsWaiting) {
      this.#isOverrun = true;
      this.#waiting = [];
    } else {
      this.#waiting.push(event);
    }
    this.#wake();
  }

  /** Waits for events. @returns none when the signal was aborted, or the stream is overrun */
  async next(signal: AbortSignal): Promise<readonly DeviceEvent[]> {
    while (this.#waiting.length === 0 && !this.#isOverrun && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
      await promise;
      signal.removeEventListener("abort", wake);
    }
    return this.#waiting.splice(0);
  }
}
