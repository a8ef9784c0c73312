import { AdapterError, type AdapterHost, type NativeId } from "@ledge/port";
import { Confirmation } from "./confirmation.ts";
import { faultOf, isCutOff } from "./fault.ts";
import { networkOf } from "./member.ts";
import type { NvmBackupFacts, NvmBackups } from "./nvm-backups.ts";
import type { Radio } from "./radio.ts";

/** The restore under way: it ends when the stick says what it holds, also after a restart. */
const writingKey = "nvmWriting";

/** How long a stick may take to take its memory, ms. */
const writtenWithinMs = 600_000;

interface Writing {
  readonly network: string;
  readonly nodes: readonly number[];
}

/**
 * `OFFERED`: the stick is another, and the hub has a backup of the network of its devices. `DONE`: the stick has said that it
 * has the network, with all of its nodes.
 */
type RestoreStatus = "IDLE" | "OFFERED" | "RUNNING" | "DONE" | "FAILED";

/** What a client sees of a restore. */
export interface RestoreState {
  readonly status: RestoreStatus;
  /** The network of the offer, or that was written; null when there is none. */
  readonly network: string | null;
  /** The network of the stick; null while it is not up. */
  readonly stick: string | null;
  /** Of what was read and written, 0 to 100; null unless it runs. */
  readonly pctComplete: number | null;
  readonly reason: string | null;
  /** Devices of the hub that the network in the backup does not have: they joined later. */
  readonly missing: readonly NativeId[];
}

/** Options of `NvmRestore`. */
export interface NvmRestoreOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly nvm: NvmBackups;
  /** The nodes of a network that the hub has, by native id and id. */
  readonly devicesOf: (network: string) => readonly (readonly [native: NativeId, nodeId: number])[];
}

/**
 * Writes the memory of a stick to another, or to the same. The stick's own memory is backed up before, so that it can be
 * taken back in the same way.
 */
export class NvmRestore {
  readonly #options: NvmRestoreOptions;
  readonly #confirmation: Confirmation;
  #outcome:
    | { readonly status: "DONE" | "FAILED"; readonly network: string; readonly reason: string | null }
    | undefined;
  #running: { readonly network: string; pctComplete: number } | undefined;

  constructor(options: NvmRestoreOptions) {
    this.#options = options;
    this.#confirmation = new Confirmation(options.host.clock);
  }

  get state(): RestoreState {
    const { radio, nvm } = this.#options;
    const stick = radio.driver === undefined ? null : networkOf(radio.homeId);
    const told = (
      status: RestoreStatus,
      network: string | null,
      reason: string | null = null,
    ): RestoreState => {
      const nodes = nvm.all.find((backup) => backup.network === network)?.nodes;
      const pctComplete = this.#running?.pctComplete ?? null;
      return { status, network, stick, pctComplete, reason, missing: this.#missing(network, nodes) };
    };
    if (this.#running) return told("RUNNING", this.#running.network);
    if (this.#outcome) return told(this.#outcome.status, this.#outcome.network, this.#outcome.reason);
    const offered = this.#offered();
    return offered ? told("OFFERED", offered.network) : told("IDLE", null);
  }

  /**
   * Begins to write a backup to the stick.
   * @param network the network of the backup; by default that of the hub's devices, if the stick has another
   * @param confirm the word that the call without it answered
   * @throws AdapterError
   */
  async ask(network: unknown, confirm: unknown): Promise<object> {
    const backup = this.#chosen(network);
    const { nodes, at } = backup;
    const about = { network: backup.network, at, nodes, missing: this.#missing(backup.network, nodes) };
    const word = this.#confirmation.wordFor(`restore ${backup.network}`, confirm);
    if (word !== null) return { done: false, confirm: word, ...about };
    const running = { network: backup.network, pctComplete: 0 };
    this.#running = running;
    this.#outcome = undefined;
    this.#write(backup, running).catch((error: unknown) => {
      if (this.#running === running) this.#failed(backup.network, faultOf(error).message);
    });
    return { done: true, confirm: null, ...about };
  }

  /** The network is up: says whether the stick is another, and whether it has what was written to it. */
  async opened(): Promise<void> {
    const { host, radio, nvm } = this.#options;
    const writing = host.store.get(writingKey) as Writing | null | undefined;
    if (!writing) {
      if (this.#outcome?.network !== networkOf(radio.homeId)) this.#outcome = undefined;
      const offered = this.#offered();
      const facts = { stick: networkOf(radio.homeId), network: offered?.network };
      if (offered) host.log("warn", "the stick has another network than the hub's devices", facts);
      return;
    }
    const wrong = this.#differenceOf(writing);
    await host.store.put(writingKey, null);
    nvm.changed();
    if (wrong === undefined) {
      this.#running = undefined;
      this.#outcome = { status: "DONE", network: writing.network, reason: null };
      host.log("info", "the stick has the memory of the backup", { network: writing.network });
    } else this.#failed(writing.network, wrong);
  }

  stop(): void {
    this.#confirmation.stop();
  }

  async #write(backup: NvmBackupFacts, running: { pctComplete: number }): Promise<void> {
    const { host, radio, nvm } = this.#options;
    const { network, nodes } = backup;
    const memory = await nvm.memoryOf(network);
    if (memory === undefined) throw new AdapterError("refused", "the backup cannot be read");
    // Of the same network, this would take the place of the backup.
    if (network !== networkOf(radio.homeId)) await nvm.backUp();
    const controller = radio.controller();
    const share = (from: number) => (done: number, total: number) =>
      void (running.pctComplete = Math.floor(from + (done / total) * 50));
    await host.store.put(writingKey, { network, nodes } satisfies Writing);
    let isLate = false;
    const cancel = host.clock.after(writtenWithinMs, () => {
      isLate = true;
      radio.reopen("the stick does not take its memory");
    });
    try {
      await controller.restoreNVM(memory, share(0), share(50));
    } catch (error) {
      // The library starts the stick anew at the end. What the stick holds is known when the network is up again.
      if (!isLate && isCutOff(error)) return;
      if (radio.driver?.controller === controller) await host.store.put(writingKey, null);
      throw isLate ? new AdapterError("timeout", "the stick does not take its memory") : error;
    } finally {
      cancel();
    }
  }

  #failed(network: string, reason: string): void {
    this.#running = undefined;
    this.#outcome = { status: "FAILED", network, reason };
    this.#options.host.log("error", "the stick's memory was not restored", { network, reason });
  }

  /** @throws AdapterError */
  #chosen(network: unknown): NvmBackupFacts {
    const { radio, nvm } = this.#options;
    radio.controller();
    if (nvm.isSupported !== true) throw new AdapterError("unsupported", "this stick does not take a memory");
    if (this.#running) throw new AdapterError("busy", "a restore is under way");
    radio.assertResting();
    if (network !== undefined && network !== null && typeof network !== "string")
      throw new AdapterError("settings", "network: must be the id of a network in the list of backups");
    const chosen =
      typeof network === "string" ? nvm.all.find((backup) => backup.network === network) : this.#offered();
    if (chosen) return chosen;
    const reason =
      typeof network === "string" ? `network: there is no backup of ${network}` : "no backup is offered";
    throw new AdapterError("refused", reason);
  }

  /** The backup of the hub's devices, if the stick has none of their networks. */
  #offered(): NvmBackupFacts | undefined {
    const { radio, nvm, devicesOf } = this.#options;
    if (radio.driver === undefined || devicesOf(networkOf(radio.homeId)).length > 0) return undefined;
    return nvm.all
      .filter(({ network }) => network !== networkOf(radio.homeId) && devicesOf(network).length > 0)
      .toSorted((a, b) => devicesOf(b.network).length - devicesOf(a.network).length)[0];
  }

  #missing(network: string | null, nodes: readonly number[] | undefined): readonly NativeId[] {
    if (network === null || nodes === undefined) return [];
    return this.#options
      .devicesOf(network)
      .filter(([, id]) => !nodes.includes(id))
      .map(([native]) => native);
  }

  #differenceOf({ network, nodes }: Writing): string | undefined {
    const { radio } = this.#options;
    const has = networkOf(radio.homeId);
    if (has !== network) return `the stick has the network ${has} afterwards`;
    const lost = nodes.filter((id) => radio.driver?.controller.nodes.has(id) !== true);
    return lost.length === 0 ? undefined : `the stick lacks the nodes ${lost.join(", ")} afterwards`;
  }
}
