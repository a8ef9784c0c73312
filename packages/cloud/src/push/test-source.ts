import { setImmediate } from "node:timers/promises";
import { SimulatedClock } from "@ledge/testkit";
import { PushMessage } from "./pushes.ts";
import type { Reader } from "./reader.ts";
import { removedDevice } from "./register-source.ts";
import type { Item, Source, ThingKind } from "./source.ts";
import { Watching } from "./watching.ts";

/** A register in memory whose devices are numbers. A negative number is hidden from guests. */
export class TestRegister implements Source {
  readonly devices = new Map<string, number>();
  /** What users may read; everything by default. */
  readonly rights = new Map<string, "all" | "visible" | undefined>();
  #followers = new Set<(item: string) => Promise<void>>();
  /** How often a device was read. */
  asked = 0;

  /** How many follow the register. */
  get followers(): number {
    return this.#followers.size;
  }

  follow(_id: string, changed: (item: string) => Promise<void>): () => void {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  }

  async read(id: string, item: string): Promise<Item> {
    this.asked++;
    return this.#itemOf(id, item);
  }

  async *snapshot(id: string): AsyncIterable<Item> {
    for (const device of [...this.devices.keys()].toSorted()) {
      await setImmediate();
      yield this.#itemOf(id, device);
    }
  }

  complete(deviceRegisterId: string, devices: number): PushMessage {
    return new PushMessage({ type: "SnapshotDeviceRegisterPush", deviceRegisterId, devices });
  }

  reads(user: string): "all" | "visible" | undefined {
    return this.rights.has(user) ? this.rights.get(user) : "all";
  }

  released(deviceRegisterId: string, reason: string): PushMessage {
    return new PushMessage({ type: "ReleasedDeviceRegisterPush", deviceRegisterId, reason });
  }

  /** Sets the value of a device; undefined removes it. */
  async set(device: string, value: number | undefined): Promise<void> {
    if (value === undefined) this.devices.delete(device);
    else this.devices.set(device, value);
    for (const changed of this.#followers) await changed(device);
  }

  #itemOf(deviceRegisterId: string, deviceId: string): Item {
    const value = this.devices.get(deviceId);
    const message = messageOf(deviceRegisterId, deviceId, value);
    if (value === undefined || value >= 0) return { id: deviceId, message };
    return { id: deviceId, message, hidden: messageOf(deviceRegisterId, deviceId, undefined) };
  }
}

function messageOf(register: string, deviceId: string, value: number | undefined): PushMessage {
  const gone = removedDevice(register, deviceId, 0);
  return new PushMessage(value === undefined ? gone : { ...gone, state: { value }, removed: false });
}

/** Who watches one register, at a simulated time. */
export class WatchedRegister {
  readonly clock = new SimulatedClock();
  readonly register = new TestRegister();
  readonly errors: Error[] = [];
  readonly watching: Watching;

  constructor() {
    const nothing = new TestRegister();
    this.watching = new Watching({
      clock: this.clock,
      sources: { register: this.register, hub: nothing, site: nothing, operation: nothing },
      sees: (access, { id }) => access.scopes.has(id),
      onError: (error) => this.errors.push(error),
    });
  }

  subscribe(user: string, sessionId: string, id = "home", kind: ThingKind = "register"): string | undefined {
    return this.watching.subscribe(user, { kind: "fetch", id: sessionId }, { kind, id });
  }

  unsubscribe(user: string, sessionId: string): void {
    this.watching.unsubscribe(user, { kind: "fetch", id: sessionId }, { kind: "register", id: "home" });
  }
}

/** Returns what comes without any wait, in short: `a=1`, `a gone`, `all 3`, `released`, `alive`. */
export async function comes(reader: Reader): Promise<readonly string[]> {
  const shown: string[] = [];
  for (;;) {
    const controller = new AbortController();
    const next = reader.next(controller.signal);
    // A snapshot of a test takes at most this many turns.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    controller.abort();
    const messages = await next;
    if (messages.length === 0) return shown;
    shown.push(...messages.map(short));
  }
}

/** Returns a message in short. */
export function short({ push }: PushMessage): string {
  if (push.type === "HeartbeatPush") return "alive";
  if (push.type === "ReleasedDeviceRegisterPush") return "released";
  if (push.type === "SnapshotDeviceRegisterPush") return `all ${push.devices}`;
  if (push.type !== "DeviceStateDeviceRegisterPush") return push.type;
  return push.removed ? `${push.deviceId} gone` : `${push.deviceId}=${String(push.state?.["value"])}`;
}
