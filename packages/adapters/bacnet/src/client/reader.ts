import type { Address } from "../network/address.ts";
import { errorCode, Fault } from "../network/fault.ts";
import type { ReadRequest, ReadResult } from "../network/messages.ts";
import type { Network } from "../network/network.ts";
import type { ObjectId, Value } from "../network/value.ts";
import { numberOf } from "../network/value.ts";
import { deviceType, property } from "../map/object-type.ts";

/** Objects in one request at first: their names, units and values fit into one answer of most devices. */
const objectsAtOnce = 16;
/** Further objects of a device are left alone. */
export const objectsPerDevice = 5000;

/**
 * Reads properties of one device, several at once while the device can. It remembers what the device cannot:
 * ReadPropertyMultiple at all, or an answer of that length in one piece.
 */
export class Reader {
  readonly #network: Network;
  readonly #retries: number;
  #multiple = true;
  #atOnce = objectsAtOnce;

  constructor(network: Network, retries: number) {
    this.#network = network;
    this.#retries = retries;
  }

  /** Whether the device answers ReadPropertyMultiple, as far as is known. */
  get multiple(): boolean {
    return this.#multiple;
  }

  /** Returns the properties that the device has; a refused one is missing. @throws Fault */
  async read(
    address: Address,
    requests: readonly ReadRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReadResult[]> {
    const results: ReadResult[] = [];
    for (let next = 0; next < requests.length;) {
      const part = requests.slice(next, next + (this.#multiple ? this.#atOnce : 1));
      const read = await this.#readPart(address, part, signal);
      // Undefined: to be tried again in smaller parts.
      if (read === undefined) continue;
      results.push(...read);
      next += part.length;
    }
    return results;
  }

  async #readPart(
    address: Address,
    part: readonly ReadRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReadResult[] | undefined> {
    if (!this.#multiple) return await this.#readSingly(address, part, signal);
    try {
      return await this.#again(() => this.#network.readMultiple(address, part, signal));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.isTooLong && part.length > 1) {
        this.#atOnce = Math.max(1, part.length >> 1);
        return undefined;
      }
      if (error.kind === "reject" || error.isTooLong) this.#multiple = false;
      else if (error.kind === "timeout" || error.kind === "garbled")
        return await this.#doubtful(address, part, signal);
      else if (error.kind !== "error") throw error;
      return await this.#readSingly(address, part, signal);
    }
  }

  /** Some devices ignore ReadPropertyMultiple, or answer nonsense. Silence to a single read means that it is gone. */
  async #doubtful(
    address: Address,
    part: readonly ReadRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReadResult[]> {
    const results = await this.#readSingly(address, part, signal);
    this.#multiple = false;
    return results;
  }

  async #readSingly(
    address: Address,
    part: readonly ReadRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReadResult[]> {
    const results: ReadResult[] = [];
    for (const { object, properties } of part) {
      const values = new Map<number, readonly Value[]>();
      for (const id of properties) {
        try {
          values.set(id, await this.property(address, object, id, signal));
        } catch (error) {
          if (!(error instanceof Fault) || !error.isAnswer) throw error;
        }
      }
      results.push({ object, values });
    }
    return results;
  }

  /** @throws Fault */
  async property(
    address: Address,
    object: ObjectId,
    id: number,
    signal: AbortSignal,
    index?: number,
  ): Promise<readonly Value[]> {
    return await this.#again(() => this.#network.readProperty(address, object, id, signal, index));
  }

  /**
   * Returns the objects of a device. A device that cannot send the list in one piece is asked for each entry.
   * @throws Fault
   */
  async objects(address: Address, deviceId: number, signal: AbortSignal): Promise<readonly ObjectId[]> {
    const device = { type: deviceType, instance: deviceId };
    try {
      return objectsIn(await this.property(address, device, property.objectList, signal));
    } catch (error) {
      if (!(error instanceof Fault) || !(error.isTooLong || error.kind === "abort")) throw error;
    }
    const count = numberOf(await this.property(address, device, property.objectList, signal, 0)) ?? 0;
    const objects: ObjectId[] = [];
    for (let index = 1; index <= Math.min(count, objectsPerDevice); index++) {
      try {
        objects.push(...objectsIn(await this.property(address, device, property.objectList, signal, index)));
      } catch (error) {
        // The list has become shorter meanwhile.
        if (error instanceof Fault && error.code === errorCode.invalidArrayIndex) break;
        throw error;
      }
    }
    return objects;
  }

  /** Frames get lost: asks again when nobody answers. */
  async #again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== "timeout" || attempt >= this.#retries) throw error;
      }
    }
  }
}

function objectsIn(values: readonly Value[]): readonly ObjectId[] {
  return values.flatMap((value) => (value.tag === "object" ? [value.value] : [])).slice(0, objectsPerDevice);
}
