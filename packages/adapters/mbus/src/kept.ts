import type { SecondaryAddress } from "@ledge/mbus";
import type { AdapterStore } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Reading } from "./meter-map.ts";
import type { MeterSettings, PortSettings, SerialFormat, Settings } from "./settings.ts";

const pairedKey = "paired";
const serialKey = (port: string): string => `serial/${port}`;
const knownKey = (native: string): string => `known/${native}`;

/** What is known of a meter without reading it. */
export type Known = Omit<Reading, "attributes">;

/** A meter that a search found and the hub keeps. */
export interface Paired {
  /** The name of its port or receiver. */
  readonly port: string;
  readonly id: string;
  readonly name: string;
  readonly address: SecondaryAddress;
}

/** The stored state beside the profile: paired meters, what meters are, and settings of serial ports. */
export class Kept {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  get paired(): readonly Paired[] {
    const paired = this.#store.get(pairedKey);
    return Array.isArray(paired) ? (paired as Paired[]) : [];
  }

  /** @throws AdapterError `refused` when the store is full */
  async pair(meter: Paired): Promise<void> {
    try {
      await this.#store.put(pairedKey, [...this.paired, meter]);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
  }

  /** Returns whether the meter was paired. */
  async unpair(port: string, id: string): Promise<boolean> {
    const left = this.paired.filter((each) => each.port !== port || each.id !== id);
    if (left.length === this.paired.length) return false;
    await this.#store.put(pairedKey, left);
    return true;
  }

  knownOf(native: string): Known | undefined {
    return this.#store.get(knownKey(native)) as Known | undefined;
  }

  async setKnown(native: string, known: Known): Promise<void> {
    await this.#store.put(knownKey(native), known);
  }

  async setSerial(port: string, settings: SerialFormat): Promise<void> {
    await this.#store.put(serialKey(port), settings);
  }

  /** Merges what is stored into the profile's ports and receivers. A paired meter waits while its place is missing. */
  merged({ ports, receivers }: Settings): Settings {
    return {
      ports: ports.map((port) => {
        const serial = this.#store.get(serialKey(port.name)) as SerialFormat | undefined;
        const { transport } = port;
        return {
          ...port,
          transport: transport.type === "serial" && serial ? { ...transport, ...serial } : transport,
          meters: this.#withPaired(port),
        };
      }),
      receivers: receivers.map((receiver) => ({ ...receiver, meters: this.#withPaired(receiver) })),
    };
  }

  #withPaired({ name, meters }: Pick<PortSettings, "name" | "meters">): readonly MeterSettings[] {
    const ids = new Set(meters.map(({ id }) => id));
    const mine = this.paired.filter(({ port, id }) => port === name && !ids.has(id));
    return [...meters, ...mine.map(({ id, name: title, address }) => ({ id, name: title, address }))];
  }
}
