import type { AirBinding, AirDevice, AirFrame, Ieee } from "./air.ts";
import type { AirClock } from "./air-clock.ts";
import type { Confirm, Network } from "./network.ts";
import { status } from "./znp.ts";

/** Where a device is in a network. */
export interface Place {
  /** As the device has last heard of it; its channel may be an old one. */
  network: Network;
  nwk: number;
  /** Null: the coordinator. */
  readonly parent: AirNode | null;
  /** Of the last frame that it took from the coordinator: lower ones are replays to it. */
  frameCounter: number;
}

export interface NodeOptions {
  /** The router through which it joins; the coordinator unless said. */
  readonly parent?: Ieee;
  /** Link quality at its parent, 0..255. */
  readonly lqi?: number;
  /** A sleepy device polls its parent that often while frames wait; unless said only after it has sent. */
  readonly pollMs?: number;
  /** Bindings that it has room for; any number unless said. */
  readonly bindingTableSize?: number;
  /** How long a sleepy device stays awake after it has joined, and after it has sent. */
  readonly awakeAfterJoinMs?: number;
  readonly awakeAfterSendMs?: number;
}

/** macTransactionPersistenceTime of Zigbee's parents. */
const persistenceMs = 7680;
/** Frames that a parent holds for one sleeping child. */
const queueLength = 3;

interface Waiting {
  readonly frame: AirFrame;
  readonly confirm: Confirm;
  readonly cancelExpiry: () => void;
}

/** A device and what the air knows of it. */
export class AirNode {
  readonly device: AirDevice;
  readonly options: NodeOptions;
  readonly bindings: AirBinding[] = [];
  place: Place | null = null;
  lqi: number;
  /** False: neither the coordinator nor a router hears it, nor it them. */
  isInReach = true;
  /** It acknowledges what it hears and answers nothing. */
  isMute = false;
  /** It looks for a network, and joins the first that opens. */
  isSeeking = false;
  #isPowered = true;
  #awakeUntil = -Infinity;
  #openUntil = -Infinity;
  #queue: Waiting[] = [];
  #cancelPoll: (() => void) | null = null;
  readonly #postponed: (() => void)[] = [];
  readonly #clock: AirClock;
  readonly #hears: (node: AirNode, frame: AirFrame) => void;

  /** @param hears the device hears a frame for one of its endpoints, 0 being ZDO's. */
  constructor(
    device: AirDevice,
    clock: AirClock,
    options: NodeOptions,
    hears: (node: AirNode, frame: AirFrame) => void,
  ) {
    this.device = device;
    this.options = options;
    this.lqi = options.lqi ?? 180;
    this.#clock = clock;
    this.#hears = hears;
  }

  get isPowered(): boolean {
    return this.#isPowered;
  }

  /** It has power and is within reach of its parent. */
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

  /** Whether it lets devices join through it. */
  get isOpen(): boolean {
    return this.#clock.now() < this.#openUntil;
  }

  /** A router lets devices in for some seconds; 0 ends it. */
  permit(seconds: number): void {
    if (this.isRouter) this.#openUntil = this.#clock.now() + seconds * 1000;
  }

  stayAwake(ms: number): void {
    this.#awakeUntil = Math.max(this.#awakeUntil, this.#clock.now() + ms);
  }

  /** A sleepy device turns its receiver off at once. */
  sleep(): void {
    this.#awakeUntil = -Infinity;
  }

  power(isOn: boolean): void {
    this.#isPowered = isOn;
    if (isOn) for (const callback of this.#postponed.splice(0)) callback();
    else this.sleep();
  }

  /** Calls back after `ms`, or when the power is back where it is off then. */
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

  /** Hands a frame to its parent to hold, until the device polls or the frame is too old. */
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
    const { pollMs } = this.options;
    if (pollMs === undefined) return;
    this.#cancelPoll ??= this.#clock.after(pollMs, () => {
      this.#cancelPoll = null;
      if (this.isPresent) this.deliverHeld();
    });
  }

  /** The device has polled: it gets what its parent holds for it. */
  deliverHeld(): void {
    for (const { frame, confirm, cancelExpiry } of this.#queue.splice(0)) {
      cancelExpiry();
      confirm(status.success);
      this.deliver(frame);
    }
  }

  /** Whether a frame with that counter is new to it; then it has seen it. */
  takes(frameCounter: number): boolean {
    if (!this.place || frameCounter <= this.place.frameCounter) return false;
    this.place.frameCounter = frameCounter;
    return true;
  }

  /** A frame has reached it. */
  deliver(frame: AirFrame): void {
    if (!this.isMute) this.#hears(this, frame);
  }

  /** Nothing waits for it any more. */
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
