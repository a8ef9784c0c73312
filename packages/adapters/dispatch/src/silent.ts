import { limits } from "@ledge/model";
import type { AdapterErrorCode, NativeId } from "@ledge/port";

/** Errors from a device that answers but does not obey. */
const declined: ReadonlySet<AdapterErrorCode> = new Set(["refused", "unsupported"]);

/** Errors from a device that does not answer: the next send to it would occupy the radio just as long. */
const unanswered: ReadonlySet<AdapterErrorCode> = new Set(["unreachable", "timeout"]);

/** The result of a send to a device. */
interface Answer {
  readonly error: AdapterErrorCode | undefined;
  readonly isCast: boolean;
  /** False when the dispatch had given up on it: then a missing answer means nothing. */
  readonly isAwaited: boolean;
}

/** Devices that are unreachable, or did not answer the last time and have not reported since (ADR 57). */
export class SilentDevices {
  /** When each was last tried (ms); -Infinity when never. */
  readonly #triedAt = new Map<NativeId, number>();

  has(native: NativeId): boolean {
    return this.#triedAt.has(native);
  }

  /**
   * Marks a device as silent. Remembers at most `limits.devices`, since an adapter may report devices that
   * the hub does not have.
   * @param triedAt when it was last tried (ms); by default as before
   */
  add(native: NativeId, triedAt = this.#triedAt.get(native) ?? -Infinity): void {
    if (this.has(native) || this.#triedAt.size < limits.devices) this.#triedAt.set(native, triedAt);
  }

  /**
   * Ends a device's silence.
   * @returns whether it was silent
   */
  delete(native: NativeId): boolean {
    return this.#triedAt.delete(native);
  }

  clear(): void {
    this.#triedAt.clear();
  }

  /** Records a try, if the device is silent. */
  tried(native: NativeId, now: number): void {
    if (this.has(native)) this.add(native, now);
  }

  /** Updates a device's silence from an answer. */
  answered(native: NativeId, answer: Answer, now: number): void {
    const { error, isCast, isAwaited } = answer;
    if (error === undefined || declined.has(error)) this.delete(native);
    // A device that missed a cast may well be there: some casts get no answers.
    else if (isAwaited && unanswered.has(error) && !(isCast && error === "timeout")) this.add(native, now);
  }

  /** Returns a sorted copy: responsive devices first, then silent ones, the least recently tried first. */
  inTurn<T extends { readonly native: NativeId }>(all: readonly T[]): T[] {
    if (this.#triedAt.size === 0) return [...all];
    const silent = all.filter(({ native }) => this.has(native));
    const there = all.filter(({ native }) => !this.has(native));
    const triedAt = ({ native }: T): number => this.#triedAt.get(native) ?? -Infinity;
    return [...there, ...silent.toSorted((a, b) => triedAt(a) - triedAt(b))];
  }
}
