import type { AirBinding, AirDevice, AirFrame, Ieee } from "./air.ts";
import type { Clock } from "../clock.ts";
import type { Confirm, Network } from "./network.ts";
import { status } from "./frame-status.ts";

/** The place of a device in a network. */
export interface Place {
  /** The network as the device knows it; its channel may be out of date. */
  network: Network;
  nwk: number;
  /** Null for a child of the coordinator. */
  readonly parent: AirNode | null;
  /** Counter of the last frame that it accepted from the coordinator. It treats lower ones as replays. */
  frameCounter: number;
}

export interface NodeOptions {
  /** The router through which it joins; by default the coordinator. */
  readonly parent?: Ieee;
  /** Link quality at its parent, 0..255. */
  readonly lqi?: number;
  /** How often a sleepy device polls its parent while frames wait; by default only after it has sent. */
  readonly pollMs?: number;
  /** How many bindings it has room for; unlimited by default. */
  readonly bindingTableSize?: number;
  /** It joins only a network whose coordinator was given this install code for it, in hex with the CRC. */
  readonly installCode?: string;
  /** How long a sleepy device stays awake after it has joined, and after it has sent. */
  readonly awakeAfterJoinMs?: number;
  readonly awakeAfterSendMs?: number;
}

/** macTransactionPersistenceTime of Zigbee parents. */
const persistenceMs = 7680;
/** How many frames a parent holds for one sleeping child. */
const queueLength = 3;

interface Waiting {
  readonly frame: AirFrame;
  readonly confirm: Confirm;
  readonly cancelExpiry: () => void;
}

/** What the air does for a device. */
export interface NodeAir {
  readonly clock: Clock;
  /** Called when the device hears a frame for one of its endpoints; endpoint 0 is ZDO. */
  readonly hears: (node: AirNode, frame: AirFrame) => void;
  /** Called when the device asks its parent for the frames that wait for it. */
  readonly polls: (node: AirNode) => void;
  /** How often a sleepy device polls while it is awake, ms; null when frames reach it at once then. */
  readonly fastPollMs: number | null;
}

/** A device with the state that the air keeps for it. */
export class AirNode {
  readonly device: AirDevice;
  readonly options: NodeOptions;
  readonly bindings: AirBinding[] = [];
  place: Place | null = null;
  lqi: number;
  /** False when it cannot exchange frames with the coordinator or any router. */
  isInReach = true;
  /** Whether it acknowledges frames without answering them. */
  isMute = false;
  /** Whether it looks for a network, to join the first one that opens. */
  isSeeking = false;
  #isPowered = true;
  #awakeUntil = -Infinity;
  #openUntil = -Infinity;
  #queue: Waiting[] = [];
  #cancelPoll: (() => void) | null = null;
  readonly #postponed: (() => void)[] = [];
  readonly #clock: Clock;
  readonly #air: NodeAir;

  constructor(device: AirDevice, options: NodeOptions, air: NodeAir) {
    this.device = device;
    this.options = options;
    this.lqi = options.lqi ?? 180;
    this.#clock = air.clock;
    this.#air = air;
  }

  get isPowered(): boolean {
    return this.#isPowered;
  }

  /** Whether it has power and is within reach of its parent. */
  get isPresent(): boolean {
    return this.#isPowered && this.isInReach;
  }

  get isSleepy(): boolean {
    return this.device.descriptor.kind === "sleepy";
  }

  get isRouter(): boolean {
    return this.device.descriptor.kind === "router";
  }

  get isAwake(): boolean {
    return !this.isSleepy || this.#clock.now() < this.#awakeUntil;
  }

  /** Whether devices can join through it. */
  get isOpen(): boolean {
    return this.#clock.now() < this.#openUntil;
  }

  /** Lets devices join through this router for some seconds; 0 ends it. */
  permit(seconds: number): void {
    if (this.isRouter) this.#openUntil = this.#clock.now() + seconds * 1000;
  }

  stayAwake(ms: number): void {
    this.#awakeUntil = Math.max(this.#awakeUntil, this.#clock.now() + ms);
  }

  /** Turns the receiver of a sleepy device off at once. */
  sleep(): void {
    this.#awakeUntil = -Infinity;
  }

  power(isOn: boolean): void {
    this.#isPowered = isOn;
    if (isOn) for (const callback of this.#postponed.splice(0)) callback();
    else this.sleep();
  }

  /** Calls back after `ms`, or when the power returns if it is off then. */
  after(ms: number, callback: () => void): () => void {
    let isCancelled = false;
    const run = (): void => {
      if (isCancelled) return;
      if (this.#isPowered) callback();
      else this.#postponed.push(run);
    };
    const cancel = this.#clock.after(ms, run);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Gives a frame to the parent to hold until the device polls or the frame expires. */
  hold(frame: AirFrame, confirm: Confirm): void {
    if (this.#queue.length >= queueLength) {
      confirm(status.transactionOverflow);
      return;
    }
    const cancelExpiry = this.#clock.after(persistenceMs, () => {
      this.#queue = this.#queue.filter((other) => other !== waiting);
      confirm(status.transactionExpired);
    });
    const waiting: Waiting = { frame, confirm, cancelExpiry };
    this.#queue.push(waiting);
    this.awaitPoll();
  }

  /** Makes the device poll at its next time, if its parent holds anything for it. */
  awaitPoll(): void {
    if (this.#queue.length === 0) return;
    const { fastPollMs, polls } = this.#air;
    const pollMs = this.isAwake && fastPollMs !== null ? this.#untilPoll(fastPollMs) : this.options.pollMs;
    if (pollMs === undefined) return;
    this.#cancelPoll ??= this.#clock.after(pollMs, () => {
      this.#cancelPoll = null;
      if (this.isPresent) polls(this);
    });
  }

  /** Every device counts its intervals from another moment, far from that of the next address. */
  #untilPoll(everyMs: number): number {
    const beganMs = Number((BigInt(this.device.ieee) * 7919n) % BigInt(everyMs));
    return everyMs - ((this.#clock.now() - beganMs) % everyMs);
  }

  /** Delivers the held frames, because the device has polled. */
  deliverHeld(): void {
    for (const { frame, confirm } of this.takeHeld()) {
      confirm(status.success);
      this.deliver(frame);
    }
  }

  /** Removes and returns the held frames; they do not expire any more. */
  takeHeld(): readonly Pick<Waiting, "frame" | "confirm">[] {
    const held = this.#queue.splice(0);
    for (const { cancelExpiry } of held) cancelExpiry();
    return held;
  }

  /** Whether a frame with that counter is new to it. Remembers the counter. */
  takes(frameCounter: number): boolean {
    if (!this.place || frameCounter <= this.place.frameCounter) return false;
    this.place.frameCounter = frameCounter;
    return true;
  }

  /** Delivers a frame to the device. */
  deliver(frame: AirFrame): void {
    if (!this.isMute) this.#air.hears(this, frame);
  }

  /** Drops everything that waits for it. */
  forget(): void {
    for (const { confirm, cancelExpiry } of this.#queue.splice(0)) {
      cancelExpiry();
      confirm(status.transactionExpired);
    }
    this.#cancelPoll?.();
    this.#cancelPoll = null;
    this.bindings.length = 0;
  }
}
