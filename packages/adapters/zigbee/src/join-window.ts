import type { AdapterClock } from "@ledge/port";
import type { Radio } from "./radio.ts";

/** What a Mgmt_Permit_Joining_req can say: 255 would be for ever. */
const mostSeconds = 254;
/** A window that is prolonged again and again does not fill the air with broadcasts. */
const slackMs = 20_000;
/** How often a network is told that it is closed when the stick refuses, and the time between. */
const closings = 10;
const closingMs = 5000;

/** The time in which devices may join. The network is never open for much longer than somebody wants it. */
export class JoinWindow {
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  /** Until when the network lets devices in by itself. */
  #permitted = 0;
  #cancelEnd: (() => void) | undefined;
  #cancelRenewal: (() => void) | undefined;

  constructor(clock: AdapterClock, radio: Radio) {
    this.#clock = clock;
    this.#radio = radio;
  }

  get isOpen(): boolean {
    return this.#cancelEnd !== undefined;
  }

  /**
   * Opens it, or has it end so long from now.
   * @throws AdapterError
   */
  async open(windowMs: number): Promise<void> {
    await this.#permit(windowMs);
    this.#cancelEnd?.();
    this.#cancelEnd = this.#clock.after(windowMs, () => void this.close());
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.forget();
    await this.#shut(closings);
  }

  /** A network that stays open is nothing that may go unnoticed: it is told to close until it has heard it. */
  async #shut(tries: number): Promise<void> {
    try {
      await this.#radio.use((controller) => controller.permitJoin(0));
    } catch {
      if (tries > 1 && this.#radio.isUp)
        this.#clock.after(closingMs, () => void (this.isOpen || this.#shut(tries - 1)));
    }
  }

  /** The radio is gone, and with it what it let in. */
  forget(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
    this.#cancelRenewal?.();
    this.#permitted = 0;
  }

  async #permit(ms: number): Promise<void> {
    const now = this.#clock.now();
    if (now + ms <= this.#permitted) return;
    const seconds = Math.min(Math.ceil((ms + slackMs) / 1000), mostSeconds);
    await this.#radio.use((controller) => controller.permitJoin(seconds));
    this.#permitted = now + seconds * 1000;
    this.#cancelRenewal?.();
    this.#cancelRenewal = this.#clock.after(seconds * 1000 - slackMs, () => this.#renew());
  }

  #renew(): void {
    if (!this.isOpen) return;
    this.#permitted = 0;
    // A stick that refuses is asked again when somebody prolongs the window.
    void this.#permit(mostSeconds * 1000).catch(() => undefined);
  }
}
