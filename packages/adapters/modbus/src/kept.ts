import type { AdapterStore } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { SerialFormat } from "@ledge/serial";
import type { DeviceSettings, PortSettings } from "./settings.ts";

const pairedKey = "paired";
const modelKey = (id: string): string => `model/${id}`;
const serialKey = (port: string): string => `serial/${port}`;

/** A paired device and its line. */
export interface Paired {
  readonly port: string;
  readonly device: DeviceSettings;
}

/** The stored state beside the profile: paired devices and settings of serial lines. */
export class Kept {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  get paired(): readonly Paired[] {
    const paired = this.#store.get(pairedKey);
    return Array.isArray(paired) ? (paired as Paired[]) : [];
  }

  /** @throws AdapterError `refused` when the store is full. */
  async pair(fresh: readonly Paired[]): Promise<void> {
    try {
      await this.#store.put(pairedKey, [...this.paired, ...fresh]);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
  }

  /** Replaces a paired device; undefined removes it. */
  async change(port: string, id: string, device: DeviceSettings | undefined): Promise<void> {
    const left = this.paired.flatMap((each) => {
      if (each.port !== port || each.device.id !== id) return [each];
      return device === undefined ? [] : [{ port, device }];
    });
    await this.#store.put(pairedKey, left);
  }

  /** Returns the file of a model as it was last used, in case that it is gone from its folder. */
  modelFile(id: string): unknown {
    return this.#store.get(modelKey(id));
  }

  async keepModelFile(id: string, file: unknown): Promise<void> {
    await this.#store.put(modelKey(id), file);
  }

  async setSerial(port: string, settings: SerialFormat): Promise<void> {
    await this.#store.put(serialKey(port), settings);
  }

  /**
   * Merges stored devices and settings into the profile's lines. A paired device waits while its line is
   * missing.
   */
  merged(ports: readonly PortSettings[]): readonly PortSettings[] {
    return ports.map((port) => {
      const mine = this.paired.filter(({ port: name }) => name === port.name).map(({ device }) => device);
      const ids = new Set(port.devices.map(({ id }) => id));
      const serial = this.#store.get(serialKey(port.name)) as SerialFormat | undefined;
      const { transport } = port;
      return {
        ...port,
        transport: transport.type === "rtu" && serial ? { ...transport, ...serial } : transport,
        devices: [...port.devices, ...mine.filter(({ id }) => !ids.has(id))],
      };
    });
  }
}
