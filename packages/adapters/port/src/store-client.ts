import { limits } from "@ledge/model";
import type { AdapterStore } from "./adapter.ts";
import type { FromAdapter } from "./messages.ts";

const putsUnderWay = 256;

interface Put {
  readonly key: string;
  readonly value: unknown;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** An adapter's stored values: reads come from a copy, writes go through the hub. */
export class StoreClient {
  readonly #post: (message: FromAdapter) => void;
  readonly #values = new Map<string, unknown>();
  readonly #puts = new Map<number, Put>();
  #lastId = 0;

  constructor(post: (message: FromAdapter) => void) {
    this.#post = post;
  }

  /** Fills the copy with the stored values of the adapter's start, and returns the store. */
  opened(values: readonly (readonly [key: string, value: unknown])[]): AdapterStore {
    for (const [key, value] of values) this.#values.set(key, value);
    return { get: (key) => this.#values.get(key), put: (key, value) => this.#put(key, value) };
  }

  /** Settles a put by the hub's answer: durable, or an error. */
  settle(id: number, error: string | undefined): void {
    const put = this.#puts.get(id);
    if (!put) return;
    this.#puts.delete(id);
    if (error !== undefined) {
      put.reject(new Error(`${put.key} could not be stored: ${error}`));
      return;
    }
    this.#values.set(put.key, put.value);
    put.resolve();
  }

  async #put(key: string, value: unknown): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? "");
    if (bytes > limits.adapterValueBytes) {
      throw new RangeError(`${key}: ${bytes} bytes exceed the limit of ${limits.adapterValueBytes}`);
    }
    if (this.#puts.size >= putsUnderWay)
      throw new RangeError(`${key}: ${putsUnderWay} values are already waiting to be stored`);
    await new Promise<void>((resolve, reject) => {
      this.#lastId += 1;
      this.#puts.set(this.#lastId, { key, value: structuredClone(value), resolve, reject });
      this.#post({ type: "store", id: this.#lastId, key, value });
    });
  }
}
