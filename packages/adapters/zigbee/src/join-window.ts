import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Radio } from "./radio.ts";

/** The longest time in a Mgmt_Permit_Joining_req; 255 would mean for ever. */
const mostSeconds = 254;
/** Extra time per permit, so that repeated extensions do not fill the radio with broadcasts. */
const slackMs = 20_000;
/** How often closing is retried when the stick refuses, and the pause between. */
const closings = 10;
const closingMs = 5000;

/** The time in which devices may join. The network stays open only little longer than the window. */
export class JoinWindow {
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  /** Until when the network lets devices join without a renewal. */
  #permitted = 0;
  #cancelEnd: (() => void) | undefined;
  /** How many callers open it now. Devices join before the stick has answered them. */
  #opening = 0;
  /** The only router that lets devices join; undefined: all do. */
  #router: string | undefined;
  #cancelRenewal: (() => void) | undefined;

  constructor(clock: AdapterClock, radio: Radio) {
    this.#clock = clock;
    this.#radio = radio;
  }

  get isOpen(): boolean {
    return this.#cancelEnd !== undefined || this.#opening > 0;
  }

  /**
   * Opens the window, or makes it end `windowMs` from now.
   * @throws AdapterError
   */
  async open(windowMs: number): Promise<void> {
    this.#opening += 1;
    try {
      await this.#permit(windowMs);
    } finally {
      this.#opening -= 1;
    }
    this.#cancelEnd?.();
    this.#cancelEnd = this.#clock.after(windowMs, () => void this.close());
  }

  /**
   * Lets devices join through one router only, or through all again, until the window closes. Works before the
   * window opens, too.
   * @throws AdapterError
   */
  async through(router: string | undefined): Promise<void> {
    const left = this.#permitted - this.#clock.now();
    if (this.isOpen) await this.#radio.use((controller) => controller.permitJoin(0));
    this.#router = router;
    this.#permitted = 0;
    if (this.isOpen && left > 0) await this.#permit(left - slackMs);
  }

  /** Closes the window. Idempotent. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.#router = undefined;
    this.forget();
    await this.#shut(closings);
  }

  /** Retries until the network has heard it: an open network is a security risk. */
  async #shut(tries: number): Promise<void> {
    try {
      await this.#radio.use((controller) => controller.permitJoin(0));
    } catch {
      if (tries > 1 && this.#radio.isUp)
        this.#clock.after(closingMs, () => void (this.isOpen || this.#shut(tries - 1)));
    }
  }

  /** The radio is gone, and the permit with it. */
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
    const router = this.#router;
    await this.#radio.use(async (controller) => {
      const device = router === undefined ? undefined : controller.getDeviceByIeeeAddr(router);
      if (router !== undefined && device === undefined)
        throw new AdapterError("refused", `${router} is not in the network`);
      await controller.permitJoin(seconds, device);
    });
    this.#permitted = now + seconds * 1000;
    this.#cancelRenewal?.();
    this.#cancelRenewal = this.#clock.after(seconds * 1000 - slackMs, () => this.#renew());
  }

  #renew(): void {
    if (!this.isOpen) return;
    this.#permitted = 0;
    // After a refusal by the stick, the next extension of the window tries again.
    void this.#permit(mostSeconds * 1000).catch(() => undefined);
  }
}
