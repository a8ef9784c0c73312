import type { AirFrame, Ieee, InterPanFrame } from "../air.ts";
import { wire } from "../bytes.ts";
import { CoordinatorRadio } from "../coordinator-radio.ts";
import { status as frameStatus } from "../frame-status.ts";
import type { Network } from "../network.ts";
import type { SimulatedAir } from "../simulated-air.ts";
import { type ApsFrame, writeAps } from "./aps-frame.ts";
import {
  configId,
  counter,
  counterCount,
  deviceUpdate,
  emberStatus,
  frameId,
  incoming,
  joinDecision,
  joinPolicy,
  nodeType,
  policyId,
} from "./ezsp.ts";
import { encodeInterPan } from "./inter-pan-frame.ts";
import type { EmberMemory, InitialSecurity } from "./memory.ts";

/** Sends a callback to the host. */
export type Callback = (id: number, parameters: Uint8Array) => void;

/** An entry of the multicast table: the endpoint that hears a group. */
export interface MulticastEntry {
  readonly group: number;
  readonly endpoint: number;
}

/** Where a message stands for the host: who sent it and how well it was heard. */
interface Heard {
  readonly type: number;
  readonly from: number;
  readonly lqi: number;
}

/** The volatile part of a stick with EmberZNet: its radio, tables and settings. */
export class EmberRadio extends CoordinatorRadio {
  readonly memory: EmberMemory;
  readonly configuration = new Map<number, number>([
    [configId.apsUnicastMessageCount, 32],
    [configId.multicastTableSize, 16],
    [configId.maxEndDeviceChildren, 32],
  ]);
  readonly policies = new Map<number, number>();
  readonly values = new Map<number, Uint8Array>();
  readonly multicasts = new Map<number, MulticastEntry>();
  readonly counters: number[] = Array.from({ length: counterCount }, () => 0);
  manufacturerCode = 0x1049;
  /** Set by the host before it forms a network. */
  security: (InitialSecurity & { readonly keepsCounters: boolean }) | null = null;
  /** Whether the host has set a key with which new devices receive the network key. */
  hasTransientKey = false;
  /** Unicasts whose result the host does not know yet. */
  inFlight = 0;
  readonly #callback: Callback;
  #apsSequence = 0;

  constructor(air: SimulatedAir, memory: EmberMemory, callback: Callback) {
    super(air);
    this.memory = memory;
    this.#callback = callback;
  }

  get ieee(): Ieee {
    return this.memory.ieee;
  }

  override start(network: Network): void {
    super.start(network);
    this.txPower = this.memory.txPower;
    this.#tellStatus(emberStatus.networkUp);
  }

  /** Leaves the network for good. */
  leave(): void {
    this.stop();
    this.memory.leave();
    this.#tellStatus(emberStatus.networkDown);
  }

  nextApsSequence(): number {
    this.#apsSequence = (this.#apsSequence + 1) & 0xff;
    return this.#apsSequence;
  }

  count(which: number): void {
    this.counters[which] = ((this.counters[which] ?? 0) + 1) & 0xffff;
  }

  nextFrameCounter(): number {
    this.memory.frameCounter += 1;
    return this.memory.frameCounter;
  }

  admits(ieee: Ieee, nwk: number): boolean {
    const policy = this.policies.get(policyId.trustCenter) ?? 0;
    const isAllowed = (policy & joinPolicy.allowJoins) !== 0 && this.hasTransientKey;
    if (!isAllowed && this.isOpen) this.#tellJoin(ieee, nwk, 0, joinDecision.deny);
    return isAllowed;
  }

  hasJoined(ieee: Ieee, nwk: number, parent: number): void {
    this.count(counter.joinIndication);
    const node = this.air.node(ieee);
    if (parent === 0 && !node.isRouter) {
      const type = node.isSleepy ? nodeType.sleepyEndDevice : nodeType.endDevice;
      this.#callback(frameId.childJoinHandler, wire().u8(0, 1).u16(nwk).ieee(ieee).u8(type).done());
    }
    this.#tellJoin(ieee, nwk, parent, joinDecision.usePreconfiguredKey);
  }

  hasLeft(ieee: Ieee, nwk: number, rejoins: boolean): void {
    if (rejoins) return;
    const left = wire().u16(nwk).ieee(ieee).u8(deviceUpdate.left, joinDecision.noAction).u16(0);
    this.#callback(frameId.trustCenterJoinHandler, left.done());
  }

  received(nwk: number, frame: AirFrame, lqi: number): void {
    const { group, isBroadcast, peerEndpoint } = frame;
    if (group !== null) {
      const entry = [...this.multicasts.values()].find((other) => other.group === group);
      if (!entry) return;
      this.count(counter.apsRxBroadcast);
      this.#tellMessage(
        { ...frame, peerEndpoint: entry.endpoint },
        { type: incoming.multicast, from: nwk, lqi },
      );
      return;
    }
    if (peerEndpoint !== 0 && !this.endpoints.some(({ id }) => id === peerEndpoint)) return;
    this.count(isBroadcast ? counter.apsRxBroadcast : counter.apsRxUnicast);
    this.#tellMessage(frame, { type: isBroadcast ? incoming.broadcast : incoming.unicast, from: nwk, lqi });
  }

  receivedInterPan(frame: InterPanFrame, lqi: number): void {
    const raw = encodeInterPan(frame, this.ieee);
    const head = wire().u8(0, 0, lqi, rssiOf(lqi), raw.length);
    this.#callback(frameId.macFilterMatchMessageHandler, head.bytes(raw).done());
  }

  /** Hands a message of the stick itself to the host. */
  loopBack(frame: AirFrame, type: number): void {
    this.#tellMessage(frame, { type, from: 0, lqi: 255 });
  }

  /** Tells the result of a sent message. */
  messageSent(type: number, destination: number, aps: ApsFrame, tag: number, sent: number): void {
    const isGood = sent === frameStatus.success;
    const code = isGood ? emberStatus.success : emberStatus.deliveryFailed;
    const told = writeAps(wire().u8(type).u16(destination), aps).u8(tag, code, 0);
    this.#callback(frameId.messageSentHandler, told.done());
  }

  /** Measures channels and tells the results. */
  scanEnergy(channels: readonly number[]): void {
    for (const channel of channels)
      this.#callback(
        frameId.energyScanResultHandler,
        wire()
          .u8(channel, rssiOf(this.energy(channel)))
          .done(),
      );
    this.#callback(
      frameId.scanCompleteHandler,
      wire()
        .u8(channels.at(-1) ?? 0, emberStatus.success)
        .done(),
    );
  }

  protected override permitted(seconds: number): void {
    this.#tellStatus(seconds > 0 ? emberStatus.networkOpened : emberStatus.networkClosed);
  }

  protected override moved(channel: number): void {
    this.memory.changeChannel(channel);
    this.#tellStatus(emberStatus.channelChanged);
  }

  #tellMessage(frame: AirFrame, { type, from, lqi }: Heard): void {
    const { endpoint, peerEndpoint, profile, cluster, group, payload } = frame;
    const aps: ApsFrame = {
      profile,
      cluster,
      sourceEndpoint: endpoint,
      destinationEndpoint: peerEndpoint,
      options: 0,
      group: group ?? 0,
      sequence: this.nextApsSequence(),
    };
    const head = writeAps(wire().u8(type), aps).u8(lqi, rssiOf(lqi)).u16(from).u8(0xff, 0xff, payload.length);
    this.#callback(frameId.incomingMessageHandler, head.bytes(payload).done());
  }

  #tellJoin(ieee: Ieee, nwk: number, parent: number, decision: number): void {
    const joined = wire().u16(nwk).ieee(ieee).u8(deviceUpdate.unsecuredJoin, decision).u16(parent);
    this.#callback(frameId.trustCenterJoinHandler, joined.done());
  }

  #tellStatus(code: number): void {
    this.#callback(frameId.stackStatusHandler, Uint8Array.of(code));
  }
}

/** Returns the received power (dBm) for an energy or quality of 0..255, over the 80 dB that the receiver measures. */
function rssiOf(energy: number): number {
  return Math.round((energy * 80) / 255) - 100;
}
