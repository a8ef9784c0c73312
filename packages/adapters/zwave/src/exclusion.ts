import type { AdapterClock } from "@ledge/port";
import type { ZWaveController } from "zwave-js";
import type { Radio } from "./radio.ts";

/** How long the stick removes nodes, ms. */
const windowMs = 60_000;

/** The library's RemoveNodeReason of a node whose button was pressed. */
const excluded = 0;

/** A status of hub-api 2.10, as clients know them. */
export type ExclusionStatus = "IDLE" | "RUNNING" | "TIMEOUT" | "SUCCESS" | "CANCEL" | "ERROR";

/** Removes nodes from the network whose buttons are pressed. */
export class Exclusion {
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  #status: ExclusionStatus = "IDLE";
  #nodeId: number | null = null;
  #cancelTimeout = (): void => {};
  /** Settles when the stick has ended the last exclusion: the library begins no other before. */
  #stopping: Promise<unknown> = Promise.resolve();

  constructor(clock: AdapterClock, radio: Radio) {
    this.#clock = clock;
    this.#radio = radio;
  }

  get isRunning(): boolean {
    return this.#status === "RUNNING";
  }

  /** How the last exclusion went, and the node that was removed. */
  get state(): { readonly status: ExclusionStatus; readonly nodeId: number | null } {
    return { status: this.#status, nodeId: this.#nodeId };
  }

  follow(controller: ZWaveController): void {
    controller.on("exclusion failed", () => this.#end("ERROR"));
    // The library says so before it says which node it was; for a node of another network it says nothing more.
    controller.on("exclusion stopped", () => this.#end("SUCCESS"));
    controller.on("node removed", ({ id }, reason) => {
      if ((reason as number) === excluded && this.#status === "SUCCESS") this.#nodeId = id;
    });
  }

  /** @throws AdapterError when the network is not up */
  async start(): Promise<void> {
    await this.#stopping;
    if (this.isRunning) return;
    const controller = this.#radio.controller();
    this.#nodeId = null;
    this.#status = "RUNNING";
    await controller.stopInclusion().catch(() => false);
    const hasBegun = await controller.beginExclusion().catch(() => false);
    if (!hasBegun) return this.#end("ERROR");
    this.#cancelTimeout = this.#clock.after(windowMs, () => void this.#stop("TIMEOUT"));
  }

  async cancel(): Promise<void> {
    await this.#stop("CANCEL");
  }

  /** The network is not up any more. */
  closed(): void {
    this.#end("ERROR");
  }

  async #stop(status: ExclusionStatus): Promise<void> {
    if (!this.isRunning) return;
    this.#end(status);
    const { driver } = this.#radio;
    if (driver === undefined) return;
    const stopped = this.#radio.whileUp(driver.controller.stopExclusion()).catch(() => false);
    this.#stopping = stopped;
    await stopped;
  }

  #end(status: ExclusionStatus): void {
    if (!this.isRunning) return;
    this.#cancelTimeout();
    this.#status = status;
  }
}
