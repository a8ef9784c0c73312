import type { AdapterStore } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { StoredPoint } from "./map/point.ts";

const devicesKey = "devices";
const deviceKey = (station: string): string => `device/${station}`;

/** Returns the key of the device that a point belongs to. */
export function stationKey({ deviceId, address }: Pick<StoredPoint, "deviceId" | "address">): string {
  return address === null ? `${deviceId}` : `${deviceId}@${address}`;
}

/** The paired objects, as they are stored by device. */
export class Kept {
  readonly #store: AdapterStore;
  readonly #points = new Map<string, readonly StoredPoint[]>();

  constructor(store: AdapterStore) {
    this.#store = store;
    const keys = store.get(devicesKey);
    for (const key of Array.isArray(keys) ? (keys as string[]) : []) {
      const points = store.get(deviceKey(key));
      if (Array.isArray(points) && points.length > 0) this.#points.set(key, points as StoredPoint[]);
    }
  }

  get points(): readonly StoredPoint[] {
    return [...this.#points.values()].flat();
  }

  /** Stores a point, in place of the one with its native id. @throws AdapterError `refused` when the store is full. */
  async put(point: StoredPoint): Promise<void> {
    const key = stationKey(point);
    const others = (this.#points.get(key) ?? []).filter(({ native }) => native !== point.native);
    await this.#write(key, [...others, point]);
  }

  async remove(native: string): Promise<void> {
    const point = this.points.find((each) => each.native === native);
    if (point === undefined) return;
    const key = stationKey(point);
    await this.#write(
      key,
      (this.#points.get(key) ?? []).filter((each) => each.native !== native),
    );
  }

  /** Stores where a device was heard last. */
  async moved(key: string, lastAddress: string): Promise<void> {
    const points = this.#points.get(key);
    if (points !== undefined)
      await this.#write(
        key,
        points.map((point) => ({ ...point, lastAddress })),
      );
  }

  async #write(key: string, points: readonly StoredPoint[]): Promise<void> {
    const isNew = !this.#points.has(key);
    try {
      await this.#store.put(deviceKey(key), points.length === 0 ? null : points);
      const keys = [...this.#points.keys()];
      if (points.length === 0)
        await this.#store.put(
          devicesKey,
          keys.filter((each) => each !== key),
        );
      else if (isNew) await this.#store.put(devicesKey, [...keys, key]);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
    if (points.length === 0) this.#points.delete(key);
    else this.#points.set(key, points);
  }
}
