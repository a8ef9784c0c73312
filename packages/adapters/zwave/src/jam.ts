import type { AdapterClock, AdapterHost } from "@ledge/port";
import type { Troubles } from "./troubles.ts";

/** The library's ControllerStatus. */
const status = { ready: 0, unresponsive: 1, jammed: 2 } as const;

/**
 * How long the stick must not have been jammed until the air counts as free, ms. The library calls it ready again when
 * it gives up a command, and jammed at the next.
 */
export const calmMs = 10_000;

/** Follows what keeps the stick from sending, and tells the hub once of a jam and once of its end. */
export class Jam {
  readonly #clock: AdapterClock;
  readonly #host: Pick<AdapterHost, "log">;
  readonly #troubles: Troubles;
  #isOn = false;
  #cancelCalm = (): void => {};

  constructor(host: Pick<AdapterHost, "log" | "clock">, troubles: Troubles) {
    this.#clock = host.clock;
    this.#host = host;
    this.#troubles = troubles;
  }

  /** Whether commands are not sent because the air is jammed. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The stick is as the library says. */
  is(now: number): void {
    if (now === status.unresponsive) this.#host.log("warn", "the Z-Wave stick does not answer");
    if (now === status.ready && !this.#isOn) this.#host.log("info", "the Z-Wave stick answers again");
    if (now === status.ready && this.#isOn) {
      this.#cancelCalm();
      this.#cancelCalm = this.#clock.after(calmMs, () => this.#end());
    }
    if (now !== status.jammed) return;
    this.#cancelCalm();
    if (this.#isOn) return;
    this.#isOn = true;
    this.#host.log("warn", "the air is jammed: the Z-Wave stick sends nothing");
    this.#troubles.set("jammed", true);
  }

  /** The network is not up any more: nobody knows whether the air is free. */
  closed(): void {
    this.#cancelCalm();
    if (this.#isOn) this.#end();
  }

  /** The adapter has stopped: what it says has no effect. */
  stop(): void {
    this.#cancelCalm();
  }

  #end(): void {
    this.#isOn = false;
    this.#host.log("info", "the Z-Wave stick sends again");
    this.#troubles.set("jammed", false);
  }
}
