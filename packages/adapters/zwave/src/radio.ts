import type { NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Driver, ZWaveController, ZWaveNode } from "zwave-js";
import { nativeOf, nodeIdOf } from "./member.ts";

/** The library's InclusionState of a stick that does nothing, or waits for devices of its list. */
const restingStates: ReadonlySet<number> = new Set([0, 4]);

/** The network while it is up. Whatever waits for a device ends when the network does. */
export class Radio {
  #driver: Driver | undefined;
  #reason = new AdapterError("unreachable", "the Z-Wave network is not up");
  #giveUp = (_reason: string): void => {};
  readonly #waiting = new Set<(reason: AdapterError) => void>();

  get driver(): Driver | undefined {
    return this.#driver;
  }

  /** 0 while the network is not up. */
  get homeId(): number {
    return this.#driver?.controller.homeId ?? 0;
  }

  /** Whether the stick lets no device join or leave, except those of its list that join by themselves. */
  get isResting(): boolean {
    return this.#driver !== undefined && restingStates.has(this.#driver.controller.inclusionState);
  }

  /** @throws AdapterError `busy` when devices are joining or leaving */
  assertResting(): void {
    if (!this.isResting) throw new AdapterError("busy", "devices are joining or leaving: end the scan first");
  }

  opened(driver: Driver, giveUp: (reason: string) => void): void {
    this.#driver = driver;
    this.#giveUp = giveUp;
  }

  /** Opens the stick anew, which ends whatever it does. */
  reopen(reason: string): void {
    if (this.#driver !== undefined) this.#giveUp(reason);
  }

  closed(reason: AdapterError): void {
    this.#driver = undefined;
    this.#reason = reason;
    for (const end of this.#waiting) end(reason);
    this.#waiting.clear();
  }

  /** @throws AdapterError when the network is not up */
  controller(): ZWaveController {
    if (this.#driver === undefined) throw this.#reason;
    return this.#driver.controller;
  }

  /** Returns a node; undefined when the network is not up or has no such node. */
  nodeOf(native: NativeId): ZWaveNode | undefined {
    const id = nodeIdOf(native);
    const isHere = native.startsWith(nativeOf(this.homeId, id));
    return isHere ? this.#driver?.controller.nodes.get(id) : undefined;
  }

  /**
   * Waits for a result as long as the network is up.
   * @param signal aborted when nobody waits any more: the call then rejects with `cancelled`
   */
  async whileUp<Result>(result: Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#driver === undefined) throw this.#reason;
    let end = (_reason: AdapterError): void => {};
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const abort = (): void => end(new AdapterError("cancelled", "nobody waits for the answer any more"));
    this.#waiting.add(end);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted === true) abort();
    // It may fail when nobody waits any more.
    result.catch(() => undefined);
    try {
      return await Promise.race([result, ended]);
    } finally {
      this.#waiting.delete(end);
      signal?.removeEventListener("abort", abort);
    }
  }
}
