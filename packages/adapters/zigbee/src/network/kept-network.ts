import { type AdapterStore, TextStore } from "@ledge/port";
import type { StickKind } from "../settings.ts";
import type { Member } from "./device-entries.ts";
import type { NetworkParameters } from "./parameters.ts";

/** The network in the store. */
export interface KeptNetwork extends NetworkParameters {
  /**
   * The channel on which a stick last carried it, while `channel` is the one that it should have; absent before
   * the first stick.
   */
  readonly carriedOn?: number;
  /** When a stick first carried it (ms since the epoch); null before that. */
  readonly formedAt: number | null;
  /** Whether a user chose its channel; otherwise the stick may choose. */
  readonly isChannelChosen: boolean;
  /** Whether a user has confirmed that it replaces what the stick holds. */
  readonly isConfirmed: boolean;
}

/** Settings of the radio. `power` in dBm. */
export interface RadioChoices {
  readonly power: number;
  readonly ignore_reachability: boolean;
}

/** The coordinator's state in zigpy's open-coordinator-backup format, plus facts missing in that format. */
export interface KeptBackup {
  /** Another kind of stick cannot use it. */
  readonly stick: StickKind;
  /** When it was made (ms since the epoch). */
  readonly at: number;
  readonly text: string;
}

/** A network that is to replace this one when the stick is opened next. */
export interface Adoption {
  readonly network: NetworkParameters;
  readonly backup: KeptBackup | undefined;
  /** Of the library; "" when its devices are unknown; absent when those of the present network stay. */
  readonly database?: string;
  /** Devices that the database lacks. */
  readonly members?: readonly Member[];
}

const keys = {
  network: "network",
  radio: "radio",
  backup: "backup",
  backupDue: "backupDue",
  missing: "missing",
  adoption: "adoption",
} as const;
const choices: RadioChoices = { power: 5, ignore_reachability: false };

/** The data of the network that outlives process, stick and folder. Writes resolve when they are durable. */
export class Kept {
  readonly #store: AdapterStore;
  readonly #texts: TextStore;
  /**
   * A network that is being stored. The store only changes once it is durable, so the next change builds on
   * this.
   */
  #coming: KeptNetwork | undefined;

  constructor(store: AdapterStore) {
    this.#store = store;
    this.#texts = new TextStore(store);
  }

  get network(): KeptNetwork | undefined {
    return this.#coming ?? ((this.#store.get(keys.network) ?? undefined) as KeptNetwork | undefined);
  }

  /**
   * Stores the network.
   * @throws the store's error; the network is then unchanged
   */
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

  /** Undefined when there is no backup or it is damaged. */
  get backup(): KeptBackup | undefined {
    return this.#parsed(keys.backup) as KeptBackup | undefined;
  }

  /** Undefined when no network is to be adopted. */
  get adoption(): Adoption | undefined {
    return this.#parsed(keys.adoption) as Adoption | undefined;
  }

  async setAdoption(adoption: Adoption | undefined): Promise<void> {
    if (adoption === undefined) await this.#texts.remove(keys.adoption);
    else await this.#texts.put(keys.adoption, JSON.stringify(adoption));
  }

  async setBackup(backup: KeptBackup): Promise<void> {
    await this.#texts.put(keys.backup, JSON.stringify(backup));
  }

  async dropBackup(): Promise<void> {
    await this.#texts.remove(keys.backup);
  }

  /** Whether devices have joined or left since the last backup. */
  get isBackupDue(): boolean {
    return this.#store.get(keys.backupDue) === true;
  }

  async setBackupDue(isDue: boolean): Promise<void> {
    if (isDue !== this.isBackupDue) await this.#store.put(keys.backupDue, isDue);
  }

  /** Devices not heard since the network moved to another stick, by IEEE address. */
  get missing(): readonly string[] {
    const missing = this.#store.get(keys.missing);
    return Array.isArray(missing) ? (missing as string[]) : [];
  }

  async setMissing(missing: readonly string[]): Promise<void> {
    await this.#store.put(keys.missing, missing);
  }

  #parsed(key: string): unknown {
    const text = this.#texts.get(key);
    try {
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
