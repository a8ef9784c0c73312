import type { AdapterHost } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";
import type { Radio } from "./radio.ts";

const storeKey = "forgotten";
/** An address is asked whose it is no more often. */
const askAgainMs = 60_000;
/** So many of those that did not hear that they are to go are remembered, the newest. */
const most = 256;

export interface DeparturesOptions {
  readonly host: Pick<AdapterHost, "clock" | "store" | "log">;
  readonly radio: Radio;
  readonly beforeMembersChange: () => Promise<void>;
  readonly membersChanged: () => Promise<void>;
}

/** Takes devices out of the network. One that cannot hear it now is told when it is heard again. */
export class Departures {
  readonly #options: DeparturesOptions;
  /** Ahead of the store, which has a value when it is durable: the next change begins with this one. */
  #forgotten: readonly string[];
  #isStored = true;
  /** Who is being told. */
  readonly #telling = new Set<string>();
  /** When addresses were asked last whose they are, the longest ago first. */
  readonly #asked = new Map<number, number>();

  constructor(options: DeparturesOptions) {
    this.#options = options;
    const forgotten = options.host.store.get(storeKey);
    this.#forgotten = Array.isArray(forgotten) ? (forgotten as string[]) : [];
  }

  /** Never fails: a device that is dead is gone all the same, and what the store refuses is in `store`. */
  async dismiss(ieee: string): Promise<void> {
    const { radio, beforeMembersChange, membersChanged } = this.#options;
    await this.#remember([...this.#forgotten.filter((each) => each !== ieee), ieee]);
    const device = radio.device(ieee);
    if (device === undefined) return;
    await beforeMembersChange();
    const { networkAddress } = device;
    // First: one that goes and comes back at once is then a newcomer to the library.
    device.removeFromDatabase();
    await membersChanged();
    await this.#tell(ieee, networkAddress);
  }

  /** It is not to go after all, or is gone. */
  async welcome(ieee: string): Promise<void> {
    if (this.isForgotten(ieee)) await this.#remember(this.#forgotten.filter((each) => each !== ieee));
  }

  isForgotten(ieee: string): boolean {
    return this.#forgotten.includes(ieee);
  }

  /** The network is up: those are dismissed that were let go while it was not. */
  async catchUp(): Promise<void> {
    for (const ieee of this.#forgotten)
      if (this.#options.radio.device(ieee) !== undefined) await this.dismiss(ieee);
  }

  /**
   * A frame has come from an address that the library does not know. While anybody is to go it is asked whose it is;
   * `stranger` is called with the answer.
   */
  async heardFrom(networkAddress: number): Promise<void> {
    const { radio, host } = this.#options;
    if (this.#forgotten.length === 0 || !this.#mayAsk(networkAddress)) return;
    const { Zdo, ZSpec } = await import("zigbee-herdsman");
    const ask = (controller: Controller): Promise<unknown> =>
      controller.sendRaw({
        profileId: Zdo.ZDO_PROFILE_ID,
        clusterKey: Zdo.ClusterId.IEEE_ADDRESS_REQUEST,
        ieeeAddress: ZSpec.BLANK_EUI64,
        networkAddress,
        zdoParams: [networkAddress, false, 0],
        // For a Z-Stack the library waits for this one in vain, and sends the device nothing meanwhile.
        disableResponse: true,
      });
    try {
      await radio.use(ask);
    } catch (error) {
      host.log("debug", "an address was not asked whose it is", {
        networkAddress,
        reason: faultOf(error).message,
      });
    }
  }

  /** Somebody of whom the library knows nothing has shown up. One that was let go is told so. */
  async stranger(ieee: string, networkAddress: number): Promise<void> {
    if (!this.isForgotten(ieee) || this.#options.radio.device(ieee) !== undefined) return;
    if (this.#telling.has(ieee)) return;
    await this.#tell(ieee, networkAddress);
  }

  /** Tells a device to leave. One that does not hear it is told again when it shows up. */
  async #tell(ieee: string, networkAddress: number): Promise<void> {
    const { radio, host } = this.#options;
    const { Zdo } = await import("zigbee-herdsman");
    const leave = (controller: Controller): Promise<unknown> =>
      controller.sendRaw({
        profileId: Zdo.ZDO_PROFILE_ID,
        clusterKey: Zdo.ClusterId.LEAVE_REQUEST,
        ieeeAddress: ieee,
        networkAddress,
        zdoParams: [ieee, Zdo.LeaveRequestFlags.WITHOUT_REJOIN],
      });
    this.#telling.add(ieee);
    try {
      const [status] = (await radio.use(leave)) as [number];
      if (status !== 0) throw new Error(`it answers ${Zdo.Status[status] ?? status}`);
      await this.welcome(ieee);
    } catch (error) {
      host.log("info", "a device was not told to leave", { native: ieee, reason: faultOf(error).message });
    } finally {
      this.#telling.delete(ieee);
    }
  }

  #mayAsk(networkAddress: number): boolean {
    const now = this.#options.host.clock.now();
    for (const [address, at] of this.#asked) {
      if (now >= at && now - at < askAgainMs) break;
      this.#asked.delete(address);
    }
    if (this.#asked.has(networkAddress)) return false;
    this.#asked.set(networkAddress, now);
    return true;
  }

  async #remember(forgotten: readonly string[]): Promise<void> {
    this.#forgotten = forgotten.slice(-most);
    this.#isStored = false;
    try {
      await this.store();
    } catch (error) {
      const reason = (error as Error).message;
      this.#options.host.log("warn", "who is to leave the network was not stored", { reason });
    }
  }

  /** Writes down who is to go, where that was refused before. */
  async store(): Promise<void> {
    if (this.#isStored) return;
    const forgotten = this.#forgotten;
    await this.#options.host.store.put(storeKey, forgotten);
    this.#isStored = this.#forgotten === forgotten;
  }
}
