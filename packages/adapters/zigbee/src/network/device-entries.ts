import type { AdapterStore } from "@ledge/port";
import { TextStore } from "./text-store.ts";

const listKey = "entries";
const entryKey = (id: number): string => `entry/${id}`;

/** An entry of the library's database: a device, a group or the coordinator. */
interface Entry {
  readonly id: number;
  readonly type: string;
  readonly ieeeAddr?: string;
}

/**
 * The library's database in the store: an entry each, written when more of it has changed than what its device last
 * said. Text and file are as the library has them: a JSON object per line.
 */
export class DeviceEntries {
  readonly #store: AdapterStore;
  readonly #texts: TextStore;
  /** What of an entry is worth writing down, as it was written last. */
  readonly #written = new Map<number, string>();
  #copying: Promise<void> = Promise.resolve();

  constructor(store: AdapterStore) {
    this.#store = store;
    this.#texts = new TextStore(store);
    for (const [id, text] of this.#all()) this.#written.set(id, essence(JSON.parse(text) as Entry));
  }

  /** The whole database, for the library's file. */
  text(): string {
    return [...this.#all()].map(([, text]) => text).join("\n");
  }

  /** Addresses of the devices, the coordinator's aside. */
  devices(): string[] {
    return [...this.#all()]
      .map(([, text]) => JSON.parse(text) as Entry)
      .flatMap(({ type, ieeeAddr }) => (ieeeAddr === undefined || type === "Coordinator" ? [] : [ieeeAddr]));
  }

  /**
   * Brings the store up to what the library has written.
   * @param text of its file
   * @throws when it is damaged, or the store takes nothing
   */
  async copy(text: string): Promise<void> {
    const copied = this.#copying.then(() => this.#copy(text));
    this.#copying = copied.catch(() => {});
    await copied;
  }

  /** There are no devices any more: another network is to be formed. */
  async clear(): Promise<void> {
    await this.copy("");
  }

  async #copy(text: string): Promise<void> {
    const entries = entriesOf(text);
    for (const [id, { entry, line }] of entries) {
      const essential = essence(entry);
      if (this.#written.get(id) === essential) continue;
      await this.#texts.put(entryKey(id), line);
      this.#written.set(id, essential);
    }
    const gone = [...this.#written.keys()].filter((id) => !entries.has(id));
    const ids = [...entries.keys()];
    if (gone.length > 0 || ids.length !== this.#ids().length) await this.#store.put(listKey, ids);
    for (const id of gone) {
      await this.#texts.remove(entryKey(id));
      this.#written.delete(id);
    }
  }

  *#all(): Generator<readonly [id: number, text: string]> {
    for (const id of this.#ids()) {
      const text = this.#texts.get(entryKey(id));
      if (text !== undefined) yield [id, text];
    }
  }

  #ids(): readonly number[] {
    return (this.#store.get(listKey) as number[] | undefined) ?? [];
  }
}

/** @throws SyntaxError for a text that is damaged: what it lacks would pass for gone */
function entriesOf(text: string): Map<number, { readonly entry: Entry; readonly line: string }> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const entry = JSON.parse(line) as Entry;
      return [entry.id, { entry, line }];
    }),
  );
}

/** When a device was heard and the values that it told are news all the time; which values it tells is not. */
function essence(entry: Entry): string {
  return JSON.stringify(entry, (key, value: unknown) => {
    if (key === "lastSeen") return undefined;
    if (key !== "attributes" || typeof value !== "object" || value === null) return value;
    return Object.keys(value).toSorted();
  });
}
