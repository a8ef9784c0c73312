import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { type AdapterHost, TextStore } from "@ledge/port";
import type { ZWaveController } from "zwave-js";
import { faultOf } from "./fault.ts";
import { networkOf } from "./member.ts";
import type { Radio } from "./radio.ts";

const backupKey = "nvm";
const dueKey = "nvmDue";
/** The network whose stick has not given its memory away in time. */
const stuckKey = "nvmStuck";

/** How long a stick may take to give its memory away, ms. The library asks one that answers nothing for ever. */
const readWithinMs = 300_000;

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

/**
 * Keeps the stick's memory in the log, and so in the hub's backups. It is read before the next device joins, if the network
 * has changed since. The stick is deaf meanwhile.
 */
export class NvmBackups {
  readonly #host: AdapterHost;
  readonly #radio: Radio;
  readonly #texts: TextStore;
  #saving: Promise<void> | undefined;

  constructor(host: AdapterHost, radio: Radio) {
    this.#host = host;
    this.#radio = radio;
    this.#texts = new TextStore(host.store);
  }

  /** What is known of the newest backup; undefined when there is none. */
  get facts(): Omit<NvmBackup, "data"> | undefined {
    const { data: _, ...facts } = this.#newest() ?? {};
    return "at" in facts ? facts : undefined;
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
    return this.#host.store.get(dueKey) !== false || this.facts?.network !== this.#network();
  }

  /** A node has joined or left. */
  changed(): void {
    if (this.#host.store.get(dueKey) === true) return;
    this.#host.store.put(dueKey, true).catch((error: unknown) => this.#warn(error));
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
    await this.#host.store.put(dueKey, false);
    try {
      const memory = await this.#read(controller, network);
      const data = (await promisify(deflate)(memory)).toString("base64");
      const backup: NvmBackup = { network, at: this.#host.clock.now(), nodes, bytes: memory.length, data };
      await this.#texts.put(backupKey, JSON.stringify(backup));
      if (this.#host.store.get(stuckKey) === network) await this.#host.store.put(stuckKey, null);
    } catch (error) {
      await this.#host.store.put(dueKey, true);
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
      return await this.#radio.whileUp(controller.backupNVMRaw());
    } catch (error) {
      if (isLate) await store.put(stuckKey, network);
      throw error;
    } finally {
      cancel();
    }
  }

  #newest(): NvmBackup | undefined {
    const text = this.#texts.get(backupKey);
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
