import { setImmediate } from "node:timers/promises";
import type { Bus, DeviceRow, RegisterStore, Row, RowKey } from "@ledge/fleet";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import type { ChangeType } from "@ledge/link";
import { limits } from "@ledge/model";
import {
  isRegisterDeviceEvent,
  type RegisterDeviceEvent,
  registerDeviceId,
  type RegisterDeviceState,
} from "../model/register-device.ts";
import type { CloudStates } from "../model/states.ts";
import { InvertedIndex } from "../process/inverted-index.ts";
import { Retries } from "../process/retries.ts";
import { type PublishedEvent, publishDeviceEvent } from "./device-news.ts";
import { isOwnSource, ownSource } from "./own-source.ts";
import { publishRow } from "./row-news.ts";

export interface OwnDevicesOptions {
  readonly kernel: Kernel<CloudStates>;
  readonly store: RegisterStore;
  readonly bus: Pick<Bus, "publish">;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Pick<Logger, "error">;
}

/** What is to be written of a register, and the writing of it. */
interface Writing {
  readonly devices: Set<string>;
  /** What is told once their rows are written. */
  readonly events: PublishedEvent[];
  done: Promise<void>;
}

/**
 * Keeps the rows of devices that people add by hand as the log says they are. What fails is written later, and a start
 * writes what a crash has left out.
 */
export class OwnDevices {
  readonly #options: OwnDevicesOptions;
  /** All devices of which people have said something, by register. */
  readonly #said = new InvertedIndex();
  readonly #writing = new Map<string, Writing>();
  readonly #retries: Retries;
  readonly #end: () => void;
  #isStopped = false;

  constructor(options: OwnDevicesOptions) {
    this.#options = options;
    this.#retries = new Retries(options.clock);
    const { kernel } = options;
    for (const [id, { register }] of kernel.all("registerDevice")) this.#said.put(id, [register]);
    this.#end = kernel.subscribe({
      published: ({ events, timestamp }) => {
        for (const [index, event] of events.entries()) {
          if (!isRegisterDeviceEvent(event)) continue;
          const { register, device } = event;
          this.#said.put(event.id, kernel.get("registerDevice", event.id) ? [register] : []);
          if (kernel.get("deviceRegister", register) === undefined) continue;
          const type = changeTypes[event.type];
          const ref = `${timestamp}.${index}`;
          this.#write(register, [device], type && [{ ref, device, type, timestamp }]);
        }
      },
    });
    void this.#mendAll([...kernel.all("deviceRegister")].map(([id]) => id));
  }

  stop(): void {
    this.#isStopped = true;
    this.#retries.stop();
    this.#end();
  }

  /** Returns all of which people have said something in a register. */
  saidIn(register: string): RegisterDeviceState[] {
    const { kernel } = this.#options;
    return [...this.#said.under(register)].flatMap((id) => kernel.get("registerDevice", id) ?? []);
  }

  /** Returns how many devices of a register people have added or described. */
  countIn(register: string): number {
    return this.#said.under(register).size;
  }

  /** Resolves when a query sees everything that has been decided of a register's own devices. */
  async written(register: string): Promise<void> {
    await this.#writing.get(register)?.done;
  }

  /** Deletes the rows of a register that is being deleted. */
  async forget(register: string): Promise<void> {
    await this.written(register);
    await this.#options.store.forget(ownSource(register));
  }

  #write(register: string, devices: readonly string[], events: readonly PublishedEvent[] = []): void {
    const known = this.#writing.get(register);
    if (known !== undefined) {
      for (const device of devices) known.devices.add(device);
      known.events.push(...events);
      return;
    }
    const writing: Writing = { devices: new Set(devices), events: [...events], done: Promise.resolve() };
    this.#writing.set(register, writing);
    writing.done = this.#writeAll(register, writing);
  }

  async #writeAll(register: string, writing: Writing): Promise<void> {
    const { logger, bus } = this.#options;
    const { devices } = writing;
    try {
      while (devices.size > 0 && !this.#isStopped) {
        const slice = [...devices].slice(0, limits.scanSliceRows);
        for (const device of slice) devices.delete(device);
        await this.#apply(register, slice);
        if (devices.size > 0) continue;
        for (const event of writing.events.splice(0)) publishDeviceEvent(bus, [register], event);
      }
    } catch (error) {
      if (this.#isStopped) return;
      logger.error({ error, register }, "devices of a register could not be written: it is tried again");
      this.#mendLater(register);
    } finally {
      this.#writing.delete(register);
    }
  }

  async #apply(register: string, devices: readonly string[]): Promise<void> {
    const { kernel, store, bus } = this.#options;
    const source = ownSource(register);
    const { cursor = null } = (await store.cursorOf(source)) ?? {};
    const upserts: Row[] = [];
    const removals: RowKey[] = [];
    for (const device of devices) {
      const said = kernel.get("registerDevice", registerDeviceId(register, device));
      const row = said && ownRow(said);
      if (row) upserts.push(row);
      else removals.push({ register, kind: "device", id: device });
    }
    const upto = String(Number(cursor ?? 0) + 1);
    const batch = { source, generation: 0, after: cursor, upto, upserts, removals, outbox: [] };
    const applied = await store.apply(batch);
    if (applied.outcome === "applied") for (const key of applied.changed) publishRow(bus, key);
  }

  /** Mends registers one after the other, so that a start leaves the store to others meanwhile. */
  async #mendAll(registers: readonly string[]): Promise<void> {
    for (const register of registers) if (!this.#isStopped) await this.#mend(register);
  }

  /** Writes what a register has otherwise than the log: what is missing, older or newer, or has gone. */
  async #mend(register: string): Promise<void> {
    const { store, logger } = this.#options;
    try {
      const due = new Map<string, number>();
      for (const { device, about, modifiedAt } of this.saidIn(register))
        if (about !== undefined) due.set(device, modifiedAt);
      for await (const { source, id, timestamp } of store.scan(register, "device")) {
        if (!isOwnSource(source)) continue;
        if (due.get(id) === timestamp) due.delete(id);
        else due.set(id, timestamp);
      }
      const all = [...due.keys()];
      for (let at = 0; at < all.length && !this.#isStopped; at += limits.scanSliceRows) {
        this.#write(register, all.slice(at, at + limits.scanSliceRows));
        await this.written(register);
        // A write that has failed is tried again with all that are due then.
        if (this.#retries.isWaiting(register)) return;
        await setImmediate();
      }
      this.#retries.succeeded(register);
    } catch (error) {
      if (this.#isStopped) return;
      logger.error({ error, register }, "a register could not be compared with the log: it is tried again");
      this.#mendLater(register);
    }
  }

  #mendLater(register: string): void {
    this.#retries.failed(register, () => void this.#mend(register));
  }
}

/** What watchers are told of the events of a device that was added by hand. */
const changeTypes: Readonly<Partial<Record<RegisterDeviceEvent["type"], ChangeType>>> = {
  RegisterDeviceAdded: "Added",
  RegisterDeviceUpdated: "Updated",
  RegisterDeviceDescribed: "Updated",
  RegisterDeviceForgotten: "Removed",
};

/** Returns the row of a device that was added by hand; undefined for one of a hub. */
function ownRow(said: RegisterDeviceState): DeviceRow | undefined {
  const { register, device: id, about, metadata, createdBy, createdAt, modifiedBy, modifiedAt } = said;
  if (!about || metadata === null) return undefined;
  const device = { id, ...about, ...metadata, createdBy, createdAt, modifiedBy, modifiedAt };
  const shared = { register, id, source: ownSource(register), timestamp: modifiedAt };
  return { kind: "device", ...shared, device, object: null };
}
