import type { AdapterClock, NativeId } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import type { Member } from "./member.ts";

/** How long a device that has woken up waits for the hub to send what it owes it, ms. */
const expectingMs = 5000;
/** How long it stays awake after the last of it, ms. */
const lingeringMs = 1000;

/** Keeps devices awake that wake up while the hub owes them something. Others go back to sleep at once. */
export class Wakefulness {
  readonly #clock: AdapterClock;
  #isStopped = false;
  readonly #owed = new Set<NativeId>();
  /** Cancels of the ends of being awake. */
  readonly #ends = new Map<ZWaveNode, () => void>();
  /** How many hold a device. */
  readonly #holds = new Map<ZWaveNode, number>();

  constructor(clock: AdapterClock) {
    this.#clock = clock;
  }

  /** The hub was told that a device sleeps. */
  owe({ native }: Member): void {
    this.#owed.add(native);
  }

  awoke(node: ZWaveNode, { native }: Member): void {
    if (this.#owed.delete(native)) this.#stay(node, expectingMs);
  }

  /** A device that is kept awake has carried something out. */
  served(node: ZWaveNode): void {
    if (this.#ends.has(node)) this.#stay(node, lingeringMs);
  }

  /** Keeps a device awake until the returned function is called, and a moment longer. */
  hold(node: ZWaveNode): () => void {
    this.#ends.get(node)?.();
    this.#ends.delete(node);
    this.#holds.set(node, (this.#holds.get(node) ?? 0) + 1);
    node.keepAwake = true;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#holds.get(node) ?? 1) - 1;
      if (left > 0) this.#holds.set(node, left);
      else this.#holds.delete(node);
      if (left === 0 && !this.#isStopped) this.#stay(node, lingeringMs);
    };
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#ends.values()) cancel();
    this.#ends.clear();
  }

  #stay(node: ZWaveNode, ms: number): void {
    if (this.#holds.has(node)) return;
    this.#ends.get(node)?.();
    node.keepAwake = true;
    this.#ends.set(
      node,
      this.#clock.after(ms, () => this.#release(node)),
    );
  }

  #release(node: ZWaveNode): void {
    // The end of an interview restores what it found at its beginning.
    if (!node.ready) {
      this.#stay(node, lingeringMs);
      return;
    }
    this.#ends.delete(node);
    node.keepAwake = false;
    node.sendNoMoreInformation().catch(() => undefined);
  }
}
