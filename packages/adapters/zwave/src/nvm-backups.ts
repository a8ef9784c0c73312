import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { AdapterError, type AdapterHost, TextStore } from "@ledge/port";
import type { ZWaveController } from "zwave-js";
import { faultOf } from "./fault.ts";
import { networkOf } from "./member.ts";
import type { Radio } from "./radio.ts";

/** Where backups are: that of the hub's network, and that of another stick's, so that neither takes the other's place. */
const slots = ["nvm", "nvmOther"] as const;
type Slot = (typeof slots)[number];
/** The network that has not changed since its newest backup. */
const cleanKey = "nvmClean";
/** The network whose stick has not given its memory away in time. */
const stuckKey = "nvmStuck";

/** How long a stick may take to give its memory away, ms. The library asks one that answers nothing for ever. */
const readWithinMs = 300_000;

/**
 * How long the library waits for a stick to acknowledge a question, ms. Then it asks again, and takes the second answer for
 * that to its next question: all that follows is in the wrong place.
 */
const askedAgainMs = 1600;
const readsAtMost = 3;

/** The functions of the Serial API with which a stick gives its memory away (INS13954), by the library's FunctionType. */
const readers = [0x3d, 0x2e, 0x2a];
const radioSwitch = 0x10;

/** The memory of a stick: its network, which no other place has. */
export interface NvmBackup {
  /** The id of the network, as in native ids. */
  readonly network: string;
  /** When it was made, ms since the epoch. */
  readonly at: number;
  /** The nodes that the network had, without the stick. */
  readonly nodes: readonly number[];
  readonly bytes: number;
  /** The memory, deflated, in base64. */
  readonly data: string;
}

/** What is known of a backup. */
export type NvmBackupFacts = Omit<NvmBackup, "data">;

/**
 * Keeps the stick's memory in the log, and so in the hub's backups. It is read before the next device joins, if the network
 * has changed since. The stick is deaf meanwhile. A stick that has another network is kept beside the hub's.
 */
export class NvmBackups {
  readonly #host: AdapterHost;
  readonly #radio: Radio;
  readonly #texts: TextStore;
  readonly #hasDevices: (network: string) => boolean;
  /** The backups without their memory, which is long, as far as somebody has asked for them. */
  readonly #facts = new Map<Slot, NvmBackupFacts>();
  #saving: Promise<void> | undefined;

  /** @param hasDevices whether the hub has devices of a network */
  constructor(host: AdapterHost, radio: Radio, hasDevices: (network: string) => boolean) {
    this.#host = host;
    this.#radio = radio;
    this.#texts = new TextStore(host.store);
    this.#hasDevices = hasDevices;
  }

  /** The backups, at most one for each network, the newest first. */
  get all(): readonly NvmBackupFacts[] {
    return slots.flatMap((slot) => this.#factsIn(slot) ?? []).toSorted((a, b) => b.at - a.at);
  }

  /** The backup of the stick's network; while the stick is away, the newest. */
  get facts(): NvmBackupFacts | undefined {
    const { all } = this;
    return this.#radio.driver === undefined ? all[0] : all.find(({ network }) => network === this.#network());
  }

  /** Returns a backup of a network with its memory, as the stick gave it away. */
  async memoryOf(network: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const slot = slots.find((each) => this.#factsIn(each)?.network === network);
    const backup = slot && this.#in(slot);
    return backup && Uint8Array.from(await promisify(inflate)(Buffer.from(backup.data, "base64")));
  }

  /** Whether the stick can give its memory away; undefined while the network is not up. */
  get isSupported(): boolean | undefined {
    const controller = this.#radio.driver?.controller;
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
    const has = (type: number): boolean => controller?.isFunctionSupported(type) === true;
    return controller && has(radioSwitch) && readers.some(has);
  }

  /** Whether the network has changed since the newest backup, or is another. */
  get isDue(): boolean {
    const network = this.#network();
    return this.#host.store.get(cleanKey) !== network || this.facts?.network !== network;
  }

  /** A node has joined or left, or the stick got another memory. */
  changed(): void {
    if ((this.#host.store.get(cleanKey) ?? null) === null) return;
    this.#host.store.put(cleanKey, null).catch((error: unknown) => this.#warn(error));
  }

  /**
   * Backs up if that is due and the stick can. Logs a failure: it keeps no device from joining. A stick that once took too
   * long is left alone until a backup that was asked for succeeds.
   */
  async backUpIfDue(): Promise<void> {
    if (this.isSupported !== true || !this.isDue) return;
    if (this.#host.store.get(stuckKey) === this.#network()) return;
    try {
      await this.backUp();
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Backs up now, or waits for the backup that runs. @throws AdapterError */
  async backUp(): Promise<void> {
    this.#saving ??= this.#save().finally(() => (this.#saving = undefined));
    await this.#saving;
  }

  async #save(): Promise<void> {
    const controller = this.#radio.controller();
    const network = this.#network();
    const nodes = [...controller.nodes.keys()].filter((id) => id !== controller.ownNodeId);
    const slot = this.#slotFor(network);
    await this.#host.store.put(cleanKey, network);
    try {
      const memory = await this.#read(controller, network);
      const data = (await promisify(deflate)(memory)).toString("base64");
      const backup: NvmBackup = { network, at: this.#host.clock.now(), nodes, bytes: memory.length, data };
      await this.#texts.put(slot, JSON.stringify(backup));
      this.#facts.set(slot, factsOf(backup));
      if (this.#host.store.get(stuckKey) === network) await this.#host.store.put(stuckKey, null);
    } catch (error) {
      await this.#host.store.put(cleanKey, null);
      throw faultOf(error);
    }
  }

  /** Nothing but a new start takes the stick out of its memory. */
  async #read(controller: ZWaveController, network: string): Promise<Uint8Array> {
    const { clock, store } = this.#host;
    let isLate = false;
    const cancel = clock.after(readWithinMs, () => {
      isLate = true;
      this.#radio.reopen("the stick does not give its memory away");
    });
    try {
      for (let reads = 0; reads < readsAtMost; reads++) {
        const memory = await this.#readOnce(controller);
        if (memory !== undefined) return memory;
      }
      throw new AdapterError("timeout", "the stick is too slow to answer, or this machine to hear it");
    } catch (error) {
      if (isLate) await store.put(stuckKey, network);
      throw error;
    } finally {
      cancel();
    }
  }

  /** Returns the memory; undefined when the library may have asked twice for a piece. */
  async #readOnce(controller: ZWaveController): Promise<Uint8Array | undefined> {
    const { clock } = this.#host;
    let heard = clock.now();
    let isDoubtful = false;
    const progressed = (): void => {
      const now = clock.now();
      if (now - heard >= askedAgainMs) isDoubtful = true;
      heard = now;
    };
    try {
      const memory = await this.#radio.whileUp(controller.backupNVMRaw(progressed));
      return isDoubtful ? undefined : memory;
    } catch (error) {
      // A piece that is in the wrong place can be longer than what is left.
      if (isDoubtful && error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** @throws AdapterError when each of the backups is of a network that the hub has devices of */
  #slotFor(network: string): Slot {
    const held = slots.map((slot) => ({ slot, of: this.#factsIn(slot)?.network }));
    const free =
      held.find(({ of }) => of === network) ??
      held.find(({ of }) => of === undefined) ??
      held.find(({ of }) => of !== undefined && !this.#hasDevices(of));
    if (free) return free.slot;
    throw new AdapterError("refused", "the hub has devices of two other networks, whose backups it keeps");
  }

  #factsIn(slot: Slot): NvmBackupFacts | undefined {
    const backup = this.#facts.has(slot) ? undefined : this.#in(slot);
    if (backup) this.#facts.set(slot, factsOf(backup));
    return this.#facts.get(slot);
  }

  #in(slot: Slot): NvmBackup | undefined {
    const text = this.#texts.get(slot);
    return text === undefined ? undefined : (JSON.parse(text) as NvmBackup);
  }

  #network(): string {
    return networkOf(this.#radio.homeId);
  }

  #warn(error: unknown): void {
    const { message: reason } = faultOf(error);
    this.#host.log("warn", "the stick's memory was not backed up", { reason });
  }
}

function factsOf({ network, at, nodes, bytes }: NvmBackup): NvmBackupFacts {
  return { network, at, nodes, bytes };
}
