import type { AdapterStore } from "@ledge/port";
import type { StickKind } from "../settings.ts";
import type { NetworkParameters } from "./parameters.ts";
import { TextStore } from "./text-store.ts";

/** The network as the store has it. */
export interface KeptNetwork extends NetworkParameters {
  /** When a stick first carried it (ms since the epoch); null: none has yet. */
  readonly formedAt: number | null;
  /** Somebody has chosen its channel; else the stick may. */
  readonly isChannelChosen: boolean;
  /** It takes the place of what the stick holds: somebody has said so. */
  readonly isConfirmed: boolean;
}

/** How the radio is set. `power` in dBm. */
export interface RadioChoices {
  readonly power: number;
  readonly ignore_reachability: boolean;
}

/** The coordinator's state in zigpy's open-coordinator-backup format, with what that does not tell. */
export interface KeptBackup {
  /** Another kind of stick cannot take it. */
  readonly stick: StickKind;
  /** When it was made (ms since the epoch). */
  readonly at: number;
  readonly text: string;
}

const keys = { network: "network", radio: "radio", backup: "backup", missing: "missing" } as const;
const choices: RadioChoices = { power: 5, ignore_reachability: false };

/** What of the network outlives process, stick and folder. Writes resolve when they are durable. */
export class Kept {
  readonly #store: AdapterStore;
  readonly #texts: TextStore;
  /** On its way to the store, which has a value when it is durable: whoever changes a part begins with this. */
  #coming: KeptNetwork | undefined;

  constructor(store: AdapterStore) {
    this.#store = store;
    this.#texts = new TextStore(store);
  }

  get network(): KeptNetwork | undefined {
    return this.#coming ?? ((this.#store.get(keys.network) ?? undefined) as KeptNetwork | undefined);
  }

  /** @throws the store's error; the network is as it was then */
  async setNetwork(network: KeptNetwork): Promise<void> {
    this.#coming = network;
    try {
      await this.#store.put(keys.network, network);
    } finally {
      if (this.#coming === network) this.#coming = undefined;
    }
  }

  get radio(): RadioChoices {
    return { ...choices, ...(this.#store.get(keys.radio) as Partial<RadioChoices> | null | undefined) };
  }

  async setRadio(radio: RadioChoices): Promise<void> {
    await this.#store.put(keys.radio, radio);
  }

  /** Undefined: there is none, or it has been damaged. */
  get backup(): KeptBackup | undefined {
    const text = this.#texts.get(keys.backup);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as KeptBackup);
    } catch {
      return undefined;
    }
  }

  async setBackup(backup: KeptBackup): Promise<void> {
    await this.#texts.put(keys.backup, JSON.stringify(backup));
  }

  async dropBackup(): Promise<void> {
    await this.#texts.remove(keys.backup);
  }

  /** Devices that have not been heard of since the network was put onto another stick, by IEEE address. */
  get missing(): readonly string[] {
    const missing = this.#store.get(keys.missing);
    return Array.isArray(missing) ? (missing as string[]) : [];
  }

  async setMissing(missing: readonly string[]): Promise<void> {
    await this.#store.put(keys.missing, missing);
  }
}
