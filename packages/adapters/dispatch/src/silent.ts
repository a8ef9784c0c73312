import { limits } from "@ledge/model";
import type { AdapterErrorCode, NativeId } from "@ledge/port";

/** Says that a device is there, though it does not do it. */
const declined: ReadonlySet<AdapterErrorCode> = new Set(["refused", "unsupported"]);

/** Says that a device is not there: what is sent to it next holds the radio up as long again. */
const unanswered: ReadonlySet<AdapterErrorCode> = new Set(["unreachable", "timeout"]);

/** What came of a send to a device. */
interface Answer {
  readonly error: AdapterErrorCode | undefined;
  readonly isCast: boolean;
  /** False when it was given up before: then that no answer came says nothing. */
  readonly isAwaited: boolean;
}

/** Devices that cannot be reached, or did not answer last and were not heard of since (ADR 57). */
export class SilentDevices {
  /** When each was tried last (ms); -Infinity when it was not. */
  readonly #triedAt = new Map<NativeId, number>();

  has(native: NativeId): boolean {
    return this.#triedAt.has(native);
  }

  /**
   * A device is silent from here on. An adapter may tell of some that the hub does not have: `limits.devices` are
   * remembered.
   * @param triedAt when it was tried last (ms); default: as before
   */
  add(native: NativeId, triedAt = this.#triedAt.get(native) ?? -Infinity): void {
    if (this.has(native) || this.#triedAt.size < limits.devices) this.#triedAt.set(native, triedAt);
  }

  /** @returns whether it was silent */
  delete(native: NativeId): boolean {
    return this.#triedAt.delete(native);
  }

  clear(): void {
    this.#triedAt.clear();
  }

  /** Something goes to the device, silent or not. */
  tried(native: NativeId, now: number): void {
    if (this.has(native)) this.add(native, now);
  }

  /** What an answer says of the device. */
  answered(native: NativeId, answer: Answer, now: number): void {
    const { error, isCast, isAwaited } = answer;
    if (error === undefined || declined.has(error)) this.delete(native);
    // One that missed a cast may be there: some casts nobody answers.
    else if (isAwaited && unanswered.has(error) && !(isCast && error === "timeout")) this.add(native, now);
  }

  /** A copy: whoever is expected to answer comes first; of the others whoever was not tried for the longest. */
  inTurn<T extends { readonly native: NativeId }>(all: readonly T[]): T[] {
    if (this.#triedAt.size === 0) return [...all];
    const silent = all.filter(({ native }) => this.has(native));
    const there = all.filter(({ native }) => !this.has(native));
    const triedAt = ({ native }: T): number => this.#triedAt.get(native) ?? -Infinity;
    return [...there, ...silent.toSorted((a, b) => triedAt(a) - triedAt(b))];
  }
}
