import { AdapterError, type AdapterErrorCode, type AdapterHost } from "@ledge/port";
import type { ZWaveController } from "zwave-js";
import { Confirmation } from "./confirmation.ts";
import { networkOf } from "./member.ts";
import type { Radio } from "./radio.ts";

/** The network that the stick was about to leave: it says what it has when it is opened anew, also after a restart. */
const leavingKey = "leaving";

/** How long the stick waits for the other controller to remove it, ms. */
const removedWithinMs = 120_000;

/** The library's ControllerRole. */
const role = { primary: 0, secondary: 1 } as const;

/** What the library's LeaveNetworkResult means, without success. */
const refusals: Readonly<Record<number, readonly [code: AdapterErrorCode, reason: string]>> = {
  1: ["busy", "the stick is busy"],
  2: ["refused", "the stick keeps the routes of that network (SUC): it must not leave"],
  3: ["busy", "the stick does not begin to leave"],
};

/** `SUCCESS`: the stick has said that it is in another network. */
type LeavingStatus = "IDLE" | "RUNNING" | "SUCCESS" | "ERROR" | "TIMEOUT" | "CANCEL";

/** What a client sees of it. */
export interface LeavingState {
  readonly status: LeavingStatus;
  /** The network that the stick leaves, or was to leave; null before anybody asked. */
  readonly network: string | null;
  /** Whether the stick is in the network of another controller; null while it is not up. */
  readonly isMember: boolean | null;
}

/** Lets another controller remove the stick from its network (learn mode). It must be asked for twice. */
export class Leaving {
  readonly #host: AdapterHost;
  readonly #radio: Radio;
  readonly #confirmation: Confirmation;
  #status: LeavingStatus = "IDLE";
  #network: string | null = null;
  /** Whether it has left, and is being opened anew. */
  #hasLeft = false;
  /** Whether the stick is told to leave, and has not said yet that it will: a removal would be lost. */
  #isBeginning = false;
  #isStopping = false;
  #cancelTimeout = (): void => {};

  constructor(host: AdapterHost, radio: Radio) {
    this.#host = host;
    this.#radio = radio;
    this.#confirmation = new Confirmation(host.clock);
  }

  get state(): LeavingState {
    const controller = this.#radio.driver?.controller;
    const isMember = controller === undefined ? null : isMemberOfOther(controller);
    return { status: this.#isBeginning ? "IDLE" : this.#status, network: this.#network, isMember };
  }

  /**
   * Begins to leave.
   * @param confirm the word that the call without it answered
   * @returns `done`, or the word that confirms it
   * @throws AdapterError
   */
  async ask(confirm: unknown): Promise<object> {
    const controller = this.#radio.controller();
    if (!isMemberOfOther(controller))
      throw new AdapterError("refused", "the stick has a network of its own: a hard reset gives it another");
    if (this.#status === "RUNNING") throw new AdapterError("busy", "the stick is about to leave");
    this.#radio.assertResting();
    const network = networkOf(this.#radio.homeId);
    const word = this.#confirmation.wordFor(`leave ${network}`, confirm);
    if (word !== null) return { done: false, confirm: word, network };
    await this.#host.store.put(leavingKey, network);
    this.#status = "RUNNING";
    this.#network = network;
    this.#hasLeft = false;
    this.#isBeginning = true;
    const result: number = await this.#radio
      .whileUp(controller.beginLeavingNetwork())
      .finally(() => (this.#isBeginning = false));
    const refusal = refusals[result];
    if (refusal !== undefined) {
      await this.#end("ERROR");
      throw new AdapterError(...refusal);
    }
    this.#cancelTimeout = this.#host.clock.after(removedWithinMs, () => void this.#stop("TIMEOUT"));
    return { done: true, confirm: null, network };
  }

  async cancel(): Promise<void> {
    await this.#stop("CANCEL");
  }

  follow(controller: ZWaveController): void {
    controller.on("leaving network failed", () => {
      // A stick says so too when it is told to stop.
      if (!this.#isStopping) void this.#end("ERROR");
    });
    controller.on("network left", () => {
      if (this.#radio.driver?.controller !== controller) return;
      this.#hasLeft = true;
      // The library goes on with what it knew of the network.
      this.#radio.reopen("the stick has left its network");
    });
  }

  /** The network is up: the stick says in which it is. Resolves when that is durable. */
  async opened(controller: ZWaveController): Promise<void> {
    const has = networkOf(this.#radio.homeId);
    const isMember = isMemberOfOther(controller);
    if (isMember)
      this.#host.log("warn", "the stick is in the network of another controller", { network: has });
    const left = this.#host.store.get(leavingKey) as string | null | undefined;
    if (left === undefined || left === null) return;
    this.#cancelTimeout();
    this.#network = left;
    this.#status = isMember && has === left ? "ERROR" : "SUCCESS";
    await this.#host.store.put(leavingKey, null);
  }

  /** The network is not up any more. */
  closed(): void {
    this.#cancelTimeout();
    if (this.#status === "RUNNING" && !this.#hasLeft) this.#status = "ERROR";
  }

  stop(): void {
    this.#cancelTimeout();
    this.#confirmation.stop();
  }

  async #stop(status: LeavingStatus): Promise<void> {
    if (this.#status !== "RUNNING" || this.#isStopping) return;
    this.#isStopping = true;
    const hasStopped = await this.#radio.driver?.controller.stopLeavingNetwork().catch(() => false);
    this.#isStopping = false;
    if (this.#hasLeft) return;
    if (hasStopped !== true) this.#radio.reopen("the stick does not end learn mode");
    await this.#end(status);
  }

  async #end(status: LeavingStatus): Promise<void> {
    if (this.#status !== "RUNNING") return;
    this.#cancelTimeout();
    this.#status = status;
    await this.#host.store.put(leavingKey, null).catch((error: unknown) => {
      this.#host.log("warn", "the end of leaving was not stored", { reason: (error as Error).message });
    });
  }
}

/** A stick may also have founded a network and given it to another controller. */
function isMemberOfOther(controller: ZWaveController): boolean {
  const now: number | undefined = controller.role;
  return (
    now === role.secondary || (now !== role.primary && controller.isUsingHomeIdFromOtherNetwork === true)
  );
}
