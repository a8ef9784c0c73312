import type { AdapterHost } from "@ledge/port";
import type { ObjectType } from "../map/object-type.ts";
import { objectTypeNames } from "../map/object-type.ts";

const nextKey = "server/next";
const deviceKey = (device: string): string => `server/device/${device}`;

type Numbers = Readonly<Record<string, readonly [type: ObjectType, instance: number]>>;

/** The numbers of objects: an attribute keeps its number, and no number is given twice. */
export class Numbering {
  readonly #host: Pick<AdapterHost, "store" | "log">;
  readonly #devices = new Map<string, Numbers>();
  readonly #next: Partial<Record<ObjectType, number>>;
  /** What is not stored yet. The next numbers are written before the devices that have got them. */
  readonly #unstored = new Map<string, unknown>();
  #isStoring = false;

  constructor(host: Pick<AdapterHost, "store" | "log">) {
    this.#host = host;
    const next = host.store.get(nextKey);
    const known = objectTypeNames.map((type) => [
      type,
      (next as Record<string, unknown> | undefined)?.[type],
    ]);
    this.#next = Object.fromEntries(known.filter(([, number]) => typeof number === "number"));
  }

  /** Returns the number of an attribute of a device. */
  of(device: string, attribute: string, type: ObjectType): number {
    const stored = (this.#host.store.get(deviceKey(device)) ?? {}) as Numbers;
    const numbers = this.#devices.get(device) ?? stored;
    const [before, instance] = numbers[attribute] ?? [];
    if (before === type && instance !== undefined) return instance;
    const next = this.next(type);
    const more = { ...numbers, [attribute]: [type, next] as const };
    this.#devices.set(device, more);
    this.#store(deviceKey(device), more);
    return next;
  }

  /** Returns a number that no object of the type has had. */
  next(type: ObjectType): number {
    const instance = (this.#next[type] ?? 0) + 1;
    this.#next[type] = instance;
    this.#store(nextKey, { ...this.#next });
    return instance;
  }

  forget(device: string): void {
    this.#devices.delete(device);
    this.#store(deviceKey(device), null);
  }

  #store(key: string, value: unknown): void {
    this.#unstored.set(key, value);
    if (!this.#isStoring) void this.#storeAll();
  }

  /** Writes each key once for all that it got in one go: a home that is shown first gets thousands of numbers. */
  async #storeAll(): Promise<void> {
    const { store, log } = this.#host;
    this.#isStoring = true;
    await Promise.resolve();
    for (const [key, value] of this.#unstored) {
      this.#unstored.delete(key);
      try {
        await store.put(key, value);
      } catch (error) {
        log("warn", "the numbers of BACnet objects were not stored", { reason: String(error) });
      }
    }
    this.#isStoring = false;
  }
}
