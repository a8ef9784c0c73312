import type { AdapterClock, AdapterLog } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";
import type { StickAdapter } from "./library-inside.ts";
import { addressesIn } from "./library-inside.ts";
import type { Radio } from "./radio.ts";

/** How long a command waits for the true address of its device: a bit longer than the first pause. */
const patienceMs = 3500;
/** Pauses between questions for the address of a device, ms; the last one repeats. */
const pausesMs = [3000, 10_000, 60_000, 600_000];
/** ZDO response to a request for a network address. */
const nwkAddressResponse = 0x8000;

/**
 * Devices that are not asked for their addresses. The coordinator's is known. A Green Power device has none: the
 * library takes the end of its source id, and finds it by the whole.
 */
const unasked: ReadonlySet<string> = new Set(["Coordinator", "GreenPower"]);

/** A device whose network address is uncertain, because another one has announced the same. */
interface Doubt {
  readonly settled: PromiseWithResolvers<void>;
  /** The address that the device has told when it was asked by its IEEE address. */
  claim: number | undefined;
  tries: number;
  cancel: () => void;
}

/** Options of `Addresses`. */
export interface AddressesOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  /** Called when the address of a device is certain again: what it said meanwhile was not heard. */
  readonly settled: (ieee: string) => void;
}

/**
 * Makes sure that a network address stands for one device. Devices are commanded by their network addresses, and
 * the library believes every announcement: a device that announces the address of another would get its
 * commands, and its reports would count as the other's. Until both have told their addresses, asked by their
 * IEEE addresses (NWK_addr_req, Zigbee specification 2.4.3.1.1), neither gets a frame and neither is heard.
 */
export class Addresses {
  readonly #options: AddressesOptions;
  readonly #doubts = new Map<string, Doubt>();

  constructor(options: AddressesOptions) {
    this.#options = options;
  }

  /** Follows a controller that has just been opened, and the driver of its stick. */
  follow(controller: Controller, adapter: StickAdapter | undefined): void {
    const isCurrent = (): boolean => this.#options.radio.isOf(controller);
    const moved = ({ device }: { readonly device: Models.Device }): void => {
      if (isCurrent()) this.#moved(device);
    };
    controller.on("deviceNetworkAddressChanged", moved);
    controller.on("deviceJoined", moved);
    adapter?.on("zdoResponse", (cluster, response) => {
      const told = cluster === nwkAddressResponse && isCurrent() ? addressesIn(response) : undefined;
      if (told) this.#told(told.ieee, told.networkAddress);
    });
    const byAddress = Map.groupBy(controller.getDevicesIterator(), ({ networkAddress }) => networkAddress);
    for (const [device, ...others] of byAddress.values())
      if (device && others.length > 0) this.#moved(device);
  }

  /** Whether frames from or to the network address of a device may be another's. */
  isInDoubt(ieee: string): boolean {
    return this.#doubts.has(ieee);
  }

  /**
   * Resolves when the address of a device is certain.
   * @returns undefined if nobody doubts it
   * @throws AdapterError `unreachable` if it stays uncertain.
   */
  certain(ieee: string): Promise<void> | undefined {
    const doubt = this.#doubts.get(ieee);
    return doubt && this.#settled(ieee, doubt);
  }

  async #settled(ieee: string, doubt: Doubt): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(patienceMs, resolve);
    await Promise.race([doubt.settled.promise, promise]);
    cancel();
    if (this.#doubts.get(ieee) === doubt)
      throw new AdapterError("unreachable", "another device uses the same network address");
  }

  forget(ieee: string): void {
    const doubt = this.#doubts.get(ieee);
    this.#doubts.delete(ieee);
    doubt?.cancel();
    doubt?.settled.resolve();
  }

  /** The network is down. */
  clear(): void {
    for (const ieee of this.#doubts.keys()) this.forget(ieee);
  }

  /** A device has got an address: doubts all that have it, if there are several. */
  #moved({ ieeeAddr: ieee, networkAddress }: Models.Device): void {
    const { log, radio } = this.#options;
    const isThere = (each: Models.Device): boolean => each.networkAddress === networkAddress;
    const sharing = [...(radio.controller?.getDevicesIterator(isThere) ?? [])];
    if (sharing.length > 1) {
      const natives = sharing.map((each) => each.ieeeAddr);
      log("warn", "devices announce the same network address", { natives, networkAddress });
      for (const each of sharing) if (!unasked.has(each.type)) this.#doubt(each.ieeeAddr);
    } else if (this.isInDoubt(ieee)) this.#doubt(ieee);
  }

  #all(): readonly Models.Device[] {
    const { controller } = this.#options.radio;
    return [...(controller?.getDevicesIterator(({ type }) => type !== "GreenPower") ?? [])];
  }

  /** Asks a device for its address, again if it has moved since it told. */
  #doubt(ieee: string): void {
    const doubt = this.#doubts.get(ieee) ?? {
      settled: Promise.withResolvers<void>(),
      claim: undefined,
      tries: 0,
      cancel: () => {},
    };
    this.#doubts.set(ieee, doubt);
    Object.assign(doubt, { claim: undefined, tries: 0 });
    this.#ask(ieee, doubt);
  }

  #ask(ieee: string, doubt: Doubt): void {
    const { clock, log } = this.#options;
    doubt.cancel();
    const pauseMs = pausesMs[Math.min(doubt.tries, pausesMs.length - 1)] ?? 0;
    doubt.tries += 1;
    doubt.cancel = clock.after(pauseMs, () => {
      this.#ask(ieee, doubt);
      this.#judge();
    });
    this.#request(ieee).catch((error: unknown) =>
      log("debug", "could not ask for the address of a device", {
        native: ieee,
        reason: faultOf(error).message,
      }),
    );
  }

  async #request(ieee: string): Promise<void> {
    const { Zdo, ZSpec } = await import("zigbee-herdsman");
    await this.#options.radio.use((controller) =>
      controller.sendRaw({
        profileId: Zdo.ZDO_PROFILE_ID,
        clusterKey: Zdo.ClusterId.NETWORK_ADDRESS_REQUEST,
        ieeeAddress: ieee,
        networkAddress: ZSpec.BroadcastAddress.RX_ON_WHEN_IDLE,
        zdoParams: [ieee, false, 0],
        // The answer arrives as an event: one device may answer for another.
        disableResponse: true,
      }),
    );
  }

  #told(ieee: string, networkAddress: number): void {
    const doubt = this.#doubts.get(ieee);
    if (doubt === undefined) return;
    doubt.claim = networkAddress;
    for (const { ieeeAddr, networkAddress: at, type } of this.#all())
      if (at === networkAddress && type !== "Coordinator" && !this.isInDoubt(ieeeAddr)) this.#doubt(ieeeAddr);
    this.#judge();
  }

  /** Believes every device that has told an address of its own. */
  #judge(): void {
    for (const [ieee, { claim }] of this.#doubts)
      if (
        claim !== undefined &&
        !this.#all().some((each) => each.ieeeAddr !== ieee && this.#hasRight(each, claim))
      )
        this.#settle(ieee, claim);
  }

  /** Whether a device may have an address: one that does not answer the first question loses it. */
  #hasRight({ ieeeAddr, networkAddress }: Models.Device, claim: number): boolean {
    const doubt = this.#doubts.get(ieeeAddr);
    if (doubt === undefined || (doubt.claim === undefined && doubt.tries < 2))
      return networkAddress === claim;
    return doubt.claim === claim;
  }

  #settle(ieee: string, networkAddress: number): void {
    const device = this.#options.radio.device(ieee);
    if (device) device.networkAddress = networkAddress;
    this.forget(ieee);
    // When a device leaves a shared address, the library forgets that address for the other one too.
    for (const each of this.#all())
      if (!this.isInDoubt(each.ieeeAddr)) Object.assign(each, { networkAddress: each.networkAddress });
    this.#options.log("info", "a device has told its network address", { native: ieee, networkAddress });
    this.#options.settled(ieee);
  }
}
