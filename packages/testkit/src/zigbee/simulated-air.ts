import { seededRandom, type Random } from "../random.ts";
import type { AirDevice, AirFrame, AirLine, Ieee } from "./air.ts";
import { realTime, type Clock } from "../clock.ts";
import { AirNode, type NodeOptions } from "./air-node.ts";
import { wire } from "./bytes.ts";
import type { BroadcastTableOptions } from "./broadcast-table.ts";
import { FixedChannel, type AirChannel } from "./channel/channel.ts";
import { CsmaChannel } from "./channel/csma-channel.ts";
import { joinOctets } from "./channel/time-on-air.ts";
import { Delivery } from "./delivery.ts";
import type { FrameLog } from "./frame-log.ts";
import { InterPan } from "./inter-pan.ts";
import type { Interference } from "./interference.ts";
import type { Coordinator } from "./network.ts";
import { nodeSubject } from "./node-subject.ts";
import { answerZdo, macCapabilities } from "./zdo-server.ts";
import { broadcast, zdo } from "./zdo.ts";

export interface AirOptions {
  readonly clock?: Clock;
  /** Seed for everything that is random. */
  readonly seed?: number;
  /** How long a frame takes, if it is not `isTimed`. */
  readonly delayMs?: number;
  /**
   * Whether frames take their time and compete for the channel as IEEE 802.15.4 says, and sleepy devices poll.
   * False by default, for tests whose subject is not time.
   */
  readonly isTimed?: boolean;
  /** By default that of the standard if the air is timed, else endless. */
  readonly broadcasts?: BroadcastTableOptions;
}

/** How often an awake sleepy device polls: Z-Stack's RESPONSE_POLL_RATE and QUEUED_POLL_RATE. */
const fastPollMs = 100;
/** Within what time a device that scans the channels comes by an open network. */
const scanMs = 1000;

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
  readonly clock: Clock;
  /** The result of energy scans by channel, 0..255. Missing channels are quiet. */
  readonly energy = new Map<number, number>();
  readonly #nodes: AirNode[] = [];
  readonly #random: Random;
  readonly #channel: AirChannel;
  /** Devices that are exchanging the frames of a join. */
  readonly #joining = new Set<AirNode>();

  constructor(options: AirOptions = {}) {
    const { clock = realTime, seed = 1, delayMs = 0, isTimed = false } = options;
    this.clock = clock;
    this.#random = seededRandom(seed);
    this.#channel = isTimed ? new CsmaChannel(clock, seededRandom(seed)) : new FixedChannel(clock, delayMs);
    this.delivery = new Delivery({
      nodes: this.#nodes,
      clock,
      random: this.#random,
      channel: this.#channel,
      broadcasts: options.broadcasts ?? (isTimed ? {} : { entries: Infinity }),
    });
    this.interPan = new InterPan({
      nodes: this.#nodes,
      clock,
      log: this.log,
      reset: (node) => this.#drop(node),
      channel: this.#channel,
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
    const air = {
      clock: this.clock,
      hears: (node: AirNode, frame: AirFrame) => this.#hear(node, frame),
      polls: (node: AirNode) => this.delivery.poll(node),
      fastPollMs: this.#channel.isTimed ? fastPollMs : null,
    };
    this.#nodes.push(new AirNode(device, options, air));
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
    const { installCode } = node.options;
    if (installCode !== undefined && coordinator.installCodes.get(ieee) !== installCode) return false;
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
    const node = this.node(ieee);
    const join = (): void => {
      this.#joining.delete(node);
      node.isSeeking = !this.join(ieee);
    };
    if (!this.#channel.isTimed) return join();
    node.isSeeking = true;
    if (this.#joining.has(node)) return;
    this.#joining.add(node);
    this.clock.after(this.#random(scanMs), () => this.#exchange(node, joinOctets, join));
  }

  /** Keeps the channel busy with frames of a device before `then`. */
  #exchange(node: AirNode, [octets, ...more]: readonly number[], then: () => void): void {
    if (octets === undefined) return then();
    const hop = { sender: node, octets, isRelayed: false };
    this.#channel.unicast(
      hop,
      () => true,
      () => this.#exchange(node, more, then),
    );
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
    if (this.#isInTouch(node)) this.delivery.poll(node);
  }

  /** Turns the receiver of a sleepy device off at once. */
  sleep(ieee: Ieee): void {
    this.node(ieee).sleep();
  }

  /**
   * Gives a device a network address, even one that another device has, and makes it announce itself.
   */
  readdress(ieee: Ieee, nwk: number): void {
    const { place } = this.node(ieee);
    if (!place) throw new Error(`${ieee} is in no network`);
    place.nwk = nwk;
    this.announce(ieee);
  }

  /** Makes a device announce itself. @param nwk the address that it announces, by default its own */
  announce(ieee: Ieee, nwk = this.nwkOf(ieee)): void {
    const { place, device } = this.node(ieee);
    if (!place || nwk === undefined) return;
    const announcement = wire().u8(0).u16(nwk).ieee(ieee).u8(macCapabilities(device.descriptor));
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
      const payload = Uint8Array.from([sequence, ...answer]);
      this.#zdoFrame(node, frame.cluster | zdo.answer, payload, false, () => subject.afterwards());
    } else this.clock.after(this.#channel.delayMs, () => subject.afterwards());
    if (node.isOpen) this.opened();
  }

  #zdoFrame(
    node: AirNode,
    cluster: number,
    payload: Uint8Array,
    isBroadcast: boolean,
    sent: () => void = () => {},
  ): void {
    const frame = { endpoint: 0, peerEndpoint: 0, profile: 0, cluster, payload };
    this.#send(node, { ...frame, group: null, isBroadcast }, null, sent);
  }

  #send(node: AirNode, frame: AirFrame, to: Ieee | null = null, sent: () => void = () => {}): void {
    if (!node.place || !node.isPowered) return;
    this.#isInTouch(node);
    node.stayAwake(node.options.awakeAfterSendMs ?? awakeAfterSendMs);
    this.delivery.fromNode(node, frame, to, () => {
      sent();
      if (this.#isInTouch(node) && node.isSleepy) this.delivery.poll(node);
    });
  }

  #line(node: AirNode): AirLine {
    const { place } = node;
    const isGood = (): boolean => place !== null && node.place === place;
    return {
      get nwk() {
        return place?.nwk ?? broadcast.all;
      },
      bindings: node.bindings,
      send: (frame, to) =>
        isGood() && this.#send(node, { ...frame, group: null, isBroadcast: false }, this.#peerOf(node, to)),
      sendToGroup: (group, frame) =>
        isGood() && this.#send(node, { ...frame, peerEndpoint: 1, group, isBroadcast: false }),
      after: (ms, callback) => node.after(ms, () => isGood() && callback()),
      now: () => this.clock.now(),
    };
  }

  /** Returns the receiver of a frame: null for the coordinator. */
  #peerOf(node: AirNode, to: Ieee | undefined): Ieee | null {
    return to === undefined || to === this.delivery.coordinatorOf(node)?.ieee ? null : to;
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
