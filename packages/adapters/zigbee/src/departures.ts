import type { AdapterHost } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";
import type { Radio } from "./radio.ts";

const storeKey = "forgotten";
/** The least time between two requests to an address for its device. */
const askAgainMs = 60_000;
/**
 * How many departures are remembered of devices that have not heard their leave request; the oldest are
 * dropped.
 */
const most = 256;

/** Green Power devices have no EUI-64; the library makes an address of their source id. */
function isGreenPower(ieee: string): boolean {
  return ieee.startsWith("0x00000000");
}

/** Options of `Departures`. */
export interface DeparturesOptions {
  readonly host: Pick<AdapterHost, "clock" | "store" | "log">;
  readonly radio: Radio;
  readonly membersChanged: () => Promise<void>;
}

/**
 * Removes devices from the network. A device that cannot hear its leave request now gets it when it is heard
 * again.
 */
export class Departures {
  readonly #options: DeparturesOptions;
  /** Newer than the store, which changes only once a value is durable; the next change builds on this one. */
  #forgotten: readonly string[];
  #isStored = true;
  /** Devices with a leave request in progress. */
  readonly #telling = new Set<string>();
  /** When each address was last asked for its device, oldest first. */
  readonly #asked = new Map<number, number>();

  constructor(options: DeparturesOptions) {
    this.#options = options;
    const forgotten = options.host.store.get(storeKey);
    this.#forgotten = Array.isArray(forgotten) ? (forgotten as string[]) : [];
  }

  /**
   * Removes a device from the network. Never fails: even a dead device is removed, and `store` retries a
   * refused put.
   */
  async dismiss(ieee: string): Promise<void> {
    const { radio, membersChanged } = this.#options;
    if (isGreenPower(ieee)) return await this.#unpair(ieee);
    await this.#remember([...this.#forgotten.filter((each) => each !== ieee), ieee]);
    const device = radio.device(ieee);
    if (device === undefined) return;
    const { networkAddress } = device;
    // Before the leave request: a device that leaves and returns at once is then new to the library.
    device.removeFromDatabase();
    await membersChanged();
    await this.#tell(ieee, networkAddress);
  }

  /** A Green Power device hears nothing: its proxies are told to pass its frames on no longer. */
  async #unpair(ieee: string): Promise<void> {
    const { radio, host, membersChanged } = this.#options;
    const device = radio.device(ieee);
    try {
      if (device) await radio.use(() => device.removeFromNetwork());
    } catch (error) {
      device?.removeFromDatabase();
      host.log("info", "could not unpair a switch", { native: ieee, reason: faultOf(error).message });
    }
    await membersChanged();
  }

  /** Drops a device from the departures, because it stays after all or has left. */
  async welcome(ieee: string): Promise<void> {
    if (this.isForgotten(ieee)) await this.#remember(this.#forgotten.filter((each) => each !== ieee));
  }

  isForgotten(ieee: string): boolean {
    return this.#forgotten.includes(ieee);
  }

  /** The network is up: dismisses the devices that were forgotten while it was down. */
  async catchUp(): Promise<void> {
    for (const ieee of this.#forgotten)
      if (this.#options.radio.device(ieee) !== undefined) await this.dismiss(ieee);
  }

  /**
   * Handles a frame from an address that the library does not know. While any device must leave or may be found,
   * asks the address for its device; the answer arrives at `stranger`.
   */
  async heardFrom(networkAddress: number, mayBeFound: boolean): Promise<void> {
    const { radio, host } = this.#options;
    if (this.#forgotten.length === 0 && !mayBeFound) return;
    if (!this.#mayAsk(networkAddress)) return;
    const { Zdo, ZSpec } = await import("zigbee-herdsman");
    const ask = (controller: Controller): Promise<unknown> =>
      controller.sendRaw({
        profileId: Zdo.ZDO_PROFILE_ID,
        clusterKey: Zdo.ClusterId.IEEE_ADDRESS_REQUEST,
        ieeeAddress: ZSpec.BLANK_EUI64,
        networkAddress,
        zdoParams: [networkAddress, false, 0],
        // On a Z-Stack the library would wait for this response in vain and block the device meanwhile.
        disableResponse: true,
      });
    try {
      await radio.use(ask);
    } catch (error) {
      host.log("debug", "could not ask an address for its device", {
        networkAddress,
        reason: faultOf(error).message,
      });
    }
  }

  /** Handles a device that the library does not know: tells a forgotten one to leave. */
  async stranger(ieee: string, networkAddress: number): Promise<void> {
    if (!this.isForgotten(ieee) || this.#options.radio.device(ieee) !== undefined) return;
    if (this.#telling.has(ieee)) return;
    await this.#tell(ieee, networkAddress);
  }

  /** Sends a leave request. A device that does not hear it gets another when it is heard again. */
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
      if (status !== 0) throw new Error(`the device answered ${Zdo.Status[status] ?? status}`);
      await this.welcome(ieee);
    } catch (error) {
      host.log("info", "could not tell a device to leave", { native: ieee, reason: faultOf(error).message });
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
      this.#options.host.log("warn", "could not store which devices must leave the network", { reason });
    }
  }

  /** Stores the departures, if an earlier put was refused. */
  async store(): Promise<void> {
    if (this.#isStored) return;
    const forgotten = this.#forgotten;
    await this.#options.host.store.put(storeKey, forgotten);
    this.#isStored = this.#forgotten === forgotten;
  }
}
