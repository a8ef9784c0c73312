import type { AdapterHost, FoundDevice, NativeId, Pairing } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";
import type { Hearing } from "./hearing.ts";
import { JoinWindow } from "./join-window.ts";
import { factsOf, isBeingInterviewed, isInterviewed, isMains } from "./node.ts";
import type { Node, Nodes } from "./nodes.ts";
import { ieeeOf } from "./nodes.ts";
import type { Radio } from "./radio.ts";

/** Options of `ZigbeePairing`. */
export interface PairingOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly nodes: Nodes;
  readonly describe: (node: Node, native: NativeId) => FoundDevice["description"];
  /** Reads what is needed to describe an interviewed device. */
  readonly getToKnow: (device: Models.Device) => Promise<Node>;
  readonly announce: (node: Node) => void;
  /** Called when the hub has got another unit of a node. */
  readonly kept: (node: Node, native: NativeId) => void;
  /** Called when a node of the hub is back in the network, perhaps without its set-up. */
  readonly returned: (node: Node) => void;
  /** Removes a node from the network. */
  readonly dismiss: (ieee: string) => Promise<void>;
}

const interviews = 3;
/** How long until an interview is repeated; a device that is always awake need not be heard first. */
const againMs = 5000;

/** Help texts for a device whose interview has failed, by number of failures. */
const helps = ["pairing.press-button", "pairing.move-closer"] as const;

/** A device that is joining. */
interface Joining {
  failures: number;
  cancelRetry: () => void;
}

/** Lets devices join the network and hands those to the hub that it keeps. */
export class ZigbeePairing implements Pairing {
  readonly #options: PairingOptions;
  readonly #window: JoinWindow;
  readonly #joining = new Map<string, Joining>();
  /** Found units that are neither kept nor discarded. */
  readonly #offered = new Set<NativeId>();

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#window = new JoinWindow(options.host.clock, options.radio);
  }

  get isOpen(): boolean {
    return this.#window.isOpen;
  }

  async open(windowMs: number): Promise<void> {
    const { radio } = this.#options;
    const wasOpen = this.isOpen;
    await this.#window.open(windowMs);
    if (wasOpen) return;
    for (const device of radio.devices()) await this.#offerAgain(device);
  }

  /** Lets devices join through one router only until the window closes; undefined: through all. */
  async through(router: string | undefined): Promise<void> {
    await this.#window.through(router);
  }

  async close(): Promise<void> {
    for (const ieee of this.#joining.keys()) this.#endJoining(ieee);
    await this.#window.close();
  }

  async keep(native: NativeId): Promise<void> {
    const { nodes, announce, describe, kept } = this.#options;
    const ieee = ieeeOf(native);
    const node = nodes.get(ieee);
    if (node?.kept.has(native) === true) return announce(node);
    const known = node?.units.length ? node : await this.#nodeOf(ieee);
    if (known?.units.some((unit) => unit.native === native) !== true)
      throw new AdapterError("refused", `no device ${native}`);
    this.#offered.delete(native);
    await nodes.keep(known, native, describe(known, native));
    kept(known, native);
  }

  async discard(native: NativeId): Promise<void> {
    const { nodes, radio, dismiss } = this.#options;
    const ieee = ieeeOf(native);
    this.#offered.delete(native);
    const isWanted = nodes.get(ieee)?.isMember === true || this.#offersOf(ieee).length > 0;
    if (!isWanted && radio.device(ieee) !== undefined) await dismiss(ieee);
  }

  /** A device has joined the network. */
  joined({ ieeeAddr }: Models.Device): void {
    if (this.isOpen && !this.#isMember(ieeeAddr)) this.#found(ieeeAddr, false, "pairing.wait");
  }

  /** The library has finished or failed an interview. */
  async interviewed(device: Models.Device, isDone: boolean): Promise<void> {
    if (!isDone) return this.#failed(device);
    const { getToKnow, returned } = this.#options;
    this.#endJoining(device.ieeeAddr);
    const node = await getToKnow(device);
    if (node.isMember) returned(node);
    if (this.isOpen) this.#offer(node);
  }

  /** A device has left the network. */
  left(ieee: string): void {
    const { host } = this.#options;
    const isJoining = this.#joining.has(ieee);
    this.#endJoining(ieee);
    if (isJoining && !this.#isMember(ieee)) host.lost(ieee);
    for (const native of this.#offersOf(ieee)) {
      this.#offered.delete(native);
      host.lost(native);
    }
  }

  /** The radio is gone, and the window with it. */
  stop(): void {
    for (const ieee of this.#joining.keys()) this.#endJoining(ieee);
    this.#window.forget();
  }

  /**
   * Returns an interviewed device of the network.
   * @throws AdapterError `unreachable` while the network is down.
   */
  async #nodeOf(ieee: string): Promise<Node | undefined> {
    const { nodes, radio } = this.#options;
    if (!radio.isUp) throw new AdapterError("unreachable", "the Zigbee network is not up");
    const device = radio.device(ieee);
    return device && isInterviewed(device) ? await nodes.know(device) : undefined;
  }

  /** Offers a device of the network that the hub does not have, or retries its interview. */
  async #offerAgain(device: Models.Device): Promise<void> {
    const { nodes } = this.#options;
    if (isInterviewed(device)) this.#offer(nodes.get(device.ieeeAddr) ?? (await nodes.know(device)));
    else if (!isBeingInterviewed(device)) this.#failed(device);
  }

  #offer(node: Node): void {
    const { host, describe } = this.#options;
    for (const { native } of node.units) {
      if (node.kept.has(native)) continue;
      this.#offered.add(native);
      const description = describe(node, native);
      host.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
    }
  }

  #failed(device: Models.Device): void {
    const { host } = this.#options;
    const { ieeeAddr: ieee } = device;
    if (!this.isOpen && !this.#isMember(ieee)) return;
    const joining = this.#joining.get(ieee) ?? { failures: 0, cancelRetry: () => {} };
    this.#joining.set(ieee, joining);
    joining.cancelRetry();
    joining.failures += 1;
    if (joining.failures >= interviews) {
      this.#joining.delete(ieee);
      host.log("warn", "a device was not paired: its interview failed", { native: ieee });
      if (!this.#isMember(ieee)) host.lost(ieee);
      return;
    }
    if (!this.#isMember(ieee)) this.#found(ieee, true, helps[joining.failures - 1] ?? null);
    this.#retry(device, joining);
  }

  #retry(device: Models.Device, joining: Joining): void {
    const { host, hearing } = this.#options;
    const again = (): void => {
      joining.cancelRetry();
      void this.#interview(device);
    };
    const cancelHearing = hearing.next(device.ieeeAddr, again);
    // A device that nobody has asked yet may be awake.
    const isAwake = isMains(factsOf(device)) || (device.type === "Unknown" && joining.failures === 1);
    const cancelTimer = isAwake ? host.clock.after(againMs, again) : () => {};
    joining.cancelRetry = () => {
      cancelHearing();
      cancelTimer();
    };
  }

  async #interview(device: Models.Device): Promise<void> {
    const { radio, host } = this.#options;
    // The device has joined again, and the library has already started an interview.
    if (isBeingInterviewed(device)) return;
    try {
      await radio.use(() => device.interview());
    } catch (error) {
      host.log("info", "an interview of a device failed", {
        native: device.ieeeAddr,
        reason: faultOf(error).message,
      });
    }
    if (!radio.isUp) return;
    try {
      await this.interviewed(device, isInterviewed(device));
    } catch (error) {
      const { message: reason } = error as Error;
      host.log("error", "could not understand a device", { native: device.ieeeAddr, reason });
    }
  }

  #found(native: NativeId, actionRequired: boolean, help: string | null): void {
    if (!this.#joining.has(native)) this.#joining.set(native, { failures: 0, cancelRetry: () => {} });
    this.#options.host.found({ native, description: null, status: "CONNECTING", actionRequired, help });
  }

  #endJoining(ieee: string): void {
    this.#joining.get(ieee)?.cancelRetry();
    this.#joining.delete(ieee);
  }

  #offersOf(ieee: string): readonly NativeId[] {
    return [...this.#offered].filter((native) => ieeeOf(native) === ieee);
  }

  #isMember(ieee: string): boolean {
    return this.#options.nodes.get(ieee)?.isMember === true;
  }
}
