import { type AdapterStore, TextStore } from "@ledge/port";

const listKey = "entries";
const entryKey = (id: number): string => `entry/${id}`;

/** An entry of the library's database: a device, a group or the coordinator. */
interface Entry {
  readonly id: number;
  readonly type: string;
  readonly ieeeAddr?: string;
  readonly nwkAddr?: number;
}

/** The addresses of devices end here (Zigbee specification, 3.6.1.9); Green Power devices have longer ones. */
const lastAddress = 0xfff7;

/** A device of a network by its addresses: IEEE as in `0x00124b0012345678`, and network. */
export interface Member {
  readonly ieee: string;
  readonly address: number;
}

/**
 * Mirrors the library's database in the store, one value per entry. Writes an entry only when more than its
 * last-seen time or attribute values have changed. Texts are in the library's format: one JSON object per
 * line.
 */
export class DeviceEntries {
  readonly #store: AdapterStore;
  readonly #texts: TextStore;
  /** The stored content of each entry, without the parts that change all the time. */
  readonly #written = new Map<number, string>();
  #copying: Promise<void> = Promise.resolve();

  constructor(store: AdapterStore) {
    this.#store = store;
    this.#texts = new TextStore(store);
    for (const [id, text] of this.#all()) this.#written.set(id, essence(JSON.parse(text) as Entry));
  }

  /** Returns the whole database, for the library's file. */
  text(): string {
    return [...this.#all()].map(([, text]) => text).join("\n");
  }

  /** Returns the addresses of all devices except the coordinator. */
  devices(): string[] {
    return [...this.#all()]
      .map(([, text]) => JSON.parse(text) as Entry)
      .flatMap(({ type, ieeeAddr }) => (ieeeAddr === undefined || type === "Coordinator" ? [] : [ieeeAddr]));
  }

  /** Returns the addresses of all devices except the coordinator. */
  members(): readonly Member[] {
    return [...this.#all()]
      .map(([, text]) => JSON.parse(text) as Entry)
      .flatMap(({ type, ieeeAddr: ieee, nwkAddr: address = Infinity }) =>
        ieee === undefined || type === "Coordinator" || address > lastAddress ? [] : [{ ieee, address }],
      );
  }

  /** Returns the address of the coordinator; undefined before there was one. */
  coordinator(): string | undefined {
    const all = [...this.#all()].map(([, text]) => JSON.parse(text) as Entry);
    return all.find(({ type }) => type === "Coordinator")?.ieeeAddr;
  }

  /**
   * Updates the store to what the library has written.
   * @param text the content of its file
   * @throws when it is damaged, or the store refuses
   */
  async copy(text: string): Promise<void> {
    const copied = this.#copying.then(() => this.#copy(text));
    this.#copying = copied.catch(() => {});
    await copied;
  }

  /** Adds devices that are in the network, but of which the library does not know what they are. */
  async add(members: readonly Member[]): Promise<void> {
    const text = this.text();
    const wanted = new Map(members.map((member) => [member.ieee, member] as const));
    for (const ieee of this.devices()) wanted.delete(ieee);
    const last = Math.max(0, ...this.#ids());
    const added = [...wanted.values()].map(({ ieee, address }, index) =>
      JSON.stringify(unknownDevice(last + 1 + index, ieee, address)),
    );
    await this.copy([text, ...added].filter((line) => line !== "").join("\n"));
  }

  /** Removes all devices, because another network will be formed. */
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

/** Returns the entry of a device that the library has yet to interview. */
function unknownDevice(id: number, ieeeAddr: string, nwkAddr: number): object {
  const state = { interviewCompleted: false, interviewState: "PENDING" };
  return { id, type: "Unknown", ieeeAddr, nwkAddr, epList: [], endpoints: {}, ...state, meta: {} };
}

/**
 * Parses the database.
 * @throws SyntaxError for a damaged text, whose missing entries would count as removed
 */
function entriesOf(text: string): Map<number, { readonly entry: Entry; readonly line: string }> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const entry = JSON.parse(line) as Entry;
      return [entry.id, { entry, line }];
    }),
  );
}

/**
 * Returns an entry without its last-seen time and attribute values, which change all the time; keeps which
 * attributes it has.
 */
function essence(entry: Entry): string {
  return JSON.stringify(entry, (key, value: unknown) => {
    if (key === "lastSeen") return undefined;
    if (key !== "attributes" || typeof value !== "object" || value === null) return value;
    return Object.keys(value).toSorted();
  });
}
