import { seededRandom, type Random } from "../random.ts";
import type { AirDevice, AirFrame, AirLine, Ieee } from "./air.ts";
import { realTime, type AirClock } from "./air-clock.ts";
import { AirNode, type NodeOptions } from "./air-node.ts";
import { wire } from "./bytes.ts";
import { Delivery } from "./delivery.ts";
import type { FrameLog } from "./frame-log.ts";
import { InterPan } from "./inter-pan.ts";
import type { Interference } from "./interference.ts";
import type { Coordinator } from "./network.ts";
import { nodeSubject } from "./node-subject.ts";
import { answerZdo, macCapabilities } from "./zdo-server.ts";
import { broadcast, zdo } from "./zdo.ts";

export interface AirOptions {
  readonly clock?: AirClock;
  /** Seed for random addresses and losses. */
  readonly seed?: number;
  /** How long a frame takes. */
  readonly delayMs?: number;
}

/** How long a sleepy device stays awake by default. */
const awakeAfterJoinMs = 30_000;
const awakeAfterSendMs = 2000;

/**
 * The air of a home with its devices and coordinators. Devices are named by their IEEE address. Methods throw
 * when there is no such device.
 */
export class SimulatedAir {
  readonly delivery: Delivery;
  readonly interPan: InterPan;
  readonly clock: AirClock;
  /** The result of energy scans by channel, 0..255. Missing channels are quiet. */
  readonly energy = new Map<number, number>();
  readonly #nodes: AirNode[] = [];
  readonly #random: Random;

  constructor({ clock = realTime, seed = 1, delayMs = 0 }: AirOptions = {}) {
    this.clock = clock;
    this.#random = seededRandom(seed);
    this.delivery = new Delivery(this.#nodes, clock, this.#random);
    this.delivery.delayMs = delayMs;
    this.interPan = new InterPan({
      nodes: this.#nodes,
      clock,
      log: this.log,
      reset: (node) => this.#drop(node),
      delayMs: () => this.delivery.delayMs,
    });
  }

  /** The log of frames. */
  get log(): FrameLog {
    return this.delivery.log;
  }

  /** Share of lost frames, 0..100. */
  set lossPercent(percent: number) {
    this.delivery.lossPercent = percent;
  }

  set interference(interference: Interference | null) {
    this.delivery.interference = interference;
  }

  /** Adds a device with power, in no network. */
  add(device: AirDevice, options: NodeOptions = {}): void {
    const node = new AirNode(device, this.clock, options, (hearer, frame) => this.#hear(hearer, frame));
    this.#nodes.push(node);
  }

  node(ieee: Ieee): AirNode {
    const node = this.#nodes.find(({ device }) => device.ieee === ieee);
    if (!node) throw new Error(`the air has no device ${ieee}`);
    return node;
  }

  /** Returns the network address of a device. */
  nwkOf(ieee: Ieee): number | undefined {
    return this.node(ieee).place?.nwk;
  }

  /**
   * Resets a device if it was in a network, and makes it join one.
   * @returns whether a network within reach is open and admits it.
   */
  join(ieee: Ieee): boolean {
    const node = this.node(ieee);
    if (node.place) this.#drop(node);
    if (!node.isPresent) return false;
    const parent = node.options.parent === undefined ? null : this.node(node.options.parent);
    const coordinator = parent
      ? this.delivery.coordinatorOf(parent)
      : [...this.delivery.coordinators].find(({ network, isOpen }) => network && isOpen);
    if (!coordinator?.network) return false;
    if (parent && !(parent.isOpen && this.delivery.isHeard(parent, coordinator))) return false;
    const nwk = this.#freeAddress();
    if (!coordinator.admits(ieee, nwk, parent === null)) return false;
    node.isSeeking = false;
    node.place = { network: coordinator.network, nwk, parent, frameCounter: 0 };
    node.stayAwake(node.options.awakeAfterJoinMs ?? awakeAfterJoinMs);
    coordinator.hasJoined(ieee, nwk, parent?.place?.nwk ?? 0);
    node.device.joined(this.#line(node));
    this.announce(ieee);
    return true;
  }

  /** Makes a device look for a network until it joins one. */
  seek(ieee: Ieee): void {
    if (!this.join(ieee)) this.node(ieee).isSeeking = true;
  }

  /** Makes a device leave on its own, as when its button is held. It announces that if it can. */
  leave(ieee: Ieee): void {
    const node = this.node(ieee);
    const coordinator = this.delivery.coordinatorOf(node);
    const nwk = node.place?.nwk;
    if (nwk !== undefined && coordinator && this.delivery.isHeard(node, coordinator)) {
      coordinator.hasLeft(ieee, nwk, false);
    }
    this.#drop(node);
  }

  /** Makes a device rejoin its network with another address and announce itself. */
  rejoin(ieee: Ieee): void {
    const node = this.node(ieee);
    const { place } = node;
    if (!place) throw new Error(`${ieee} is in no network`);
    place.nwk = this.#freeAddress();
    this.#comeBack(node);
  }

  /** Switches the power of a device. When it returns, a device that is not sleepy announces itself. */
  power(ieee: Ieee, isOn: boolean): void {
    const node = this.node(ieee);
    node.power(isOn);
    node.device.power?.(isOn);
    if (isOn && node.place && !node.isSleepy) this.#comeBack(node);
    if (isOn && node.isSeeking) this.seek(ieee);
  }

  /** Moves a device into or out of reach of its parent. */
  reach(ieee: Ieee, isInReach: boolean): void {
    this.node(ieee).isInReach = isInReach;
  }

  /** Makes a device acknowledge frames without answering, so that no interview completes. */
  mute(ieee: Ieee, isMute: boolean): void {
    this.node(ieee).isMute = isMute;
  }

  /** Makes a sleepy device ask its parent for waiting frames. */
  poll(ieee: Ieee): void {
    const node = this.node(ieee);
    if (this.#isInTouch(node)) node.deliverHeld();
  }

  /** Turns the receiver of a sleepy device off at once. */
  sleep(ieee: Ieee): void {
    this.node(ieee).sleep();
  }

  announce(ieee: Ieee): void {
    const { place, device } = this.node(ieee);
    if (!place) return;
    const announcement = wire().u8(0).u16(place.nwk).ieee(ieee).u8(macCapabilities(device.descriptor));
    this.#zdoFrame(this.node(ieee), zdo.announce, announcement.done(), true);
  }

  /** Adds the radio of a coordinator. */
  attach(coordinator: Coordinator): void {
    this.delivery.coordinators.add(coordinator);
  }

  /** Whether a network with that PAN id is on a channel. */
  hasNetwork(panId: number, channel: number): boolean {
    const networks = [...this.delivery.coordinators].map(({ network }) => network);
    return networks.some((network) => network?.panId === panId && network.channel === channel);
  }

  detach(coordinator: Coordinator): void {
    this.delivery.coordinators.delete(coordinator);
  }

  /** Called when a network has opened: seeking devices join. */
  opened(): void {
    for (const { isSeeking, device } of this.#nodes) if (isSeeking) this.seek(device.ieee);
  }

  #hear(node: AirNode, frame: AirFrame): void {
    if (frame.endpoint !== 0) {
      if (!node.device.descriptor.endpoints.some(({ id }) => id === frame.endpoint)) return;
      node.device.received(frame);
      return;
    }
    const [sequence = 0, ...request] = frame.payload;
    const subject = nodeSubject(this, node, (rejoins) =>
      rejoins ? this.rejoin(node.device.ieee) : this.#drop(node),
    );
    const answer = answerZdo(subject, frame.cluster, Uint8Array.from(request));
    // A broadcast is answered only when it searches for an address.
    if (answer && !(frame.isBroadcast && frame.cluster > zdo.ieeeAddress)) {
      this.#zdoFrame(node, frame.cluster | zdo.answer, Uint8Array.from([sequence, ...answer]), false);
    }
    this.clock.after(this.delivery.delayMs, () => subject.afterwards());
    if (node.isOpen) this.opened();
  }

  #zdoFrame(node: AirNode, cluster: number, payload: Uint8Array, isBroadcast: boolean): void {
    const frame = { endpoint: 0, peerEndpoint: 0, profile: 0, cluster, payload };
    this.#send(node, { ...frame, group: null, isBroadcast });
  }

  #send(node: AirNode, frame: AirFrame): void {
    if (!node.place || !node.isPowered) return;
    this.#isInTouch(node);
    node.stayAwake(node.options.awakeAfterSendMs ?? awakeAfterSendMs);
    this.delivery.fromNode(node, frame);
    this.clock.after(this.delivery.delayMs, () => this.#isInTouch(node) && node.deliverHeld());
  }

  #line(node: AirNode): AirLine {
    const { place } = node;
    const isGood = (): boolean => place !== null && node.place === place;
    return {
      get nwk() {
        return place?.nwk ?? broadcast.all;
      },
      bindings: node.bindings,
      send: (frame) => isGood() && this.#send(node, { ...frame, group: null, isBroadcast: false }),
      sendToGroup: (group, frame) =>
        isGood() && this.#send(node, { ...frame, peerEndpoint: 1, group, isBroadcast: false }),
      after: (ms, callback) => node.after(ms, () => isGood() && callback()),
      now: () => this.clock.now(),
    };
  }

  /** Whether a device reaches its network. After a channel change it searches for the network. */
  #isInTouch(node: AirNode): boolean {
    const coordinator = this.delivery.coordinatorOf(node);
    if (!node.place || !coordinator?.network || !node.isPresent) return false;
    if (node.place.network.channel !== coordinator.network.channel) {
      node.place.network = coordinator.network;
      this.announce(node.device.ieee);
    }
    return true;
  }

  #comeBack(node: AirNode): void {
    const { place, device } = node;
    const coordinator = this.delivery.coordinatorOf(node);
    if (!place || !this.#isInTouch(node) || !coordinator) return;
    coordinator.admits(device.ieee, place.nwk, place.parent === null);
    // A rejoining device agrees with its parent on a new frame counter.
    place.frameCounter = 0;
    node.stayAwake(node.options.awakeAfterSendMs ?? awakeAfterSendMs);
    device.joined(this.#line(node));
    this.announce(device.ieee);
  }

  #drop(node: AirNode): void {
    if (!node.place) return;
    node.place = null;
    node.forget();
    node.device.left();
  }

  #freeAddress(): number {
    for (;;) {
      const nwk = 1 + this.#random(broadcast.lowest - 1);
      if (!this.#nodes.some(({ place }) => place?.nwk === nwk)) return nwk;
    }
  }
}
