import { timingSafeEqual } from "node:crypto";
import { letterCode, type RandomBytes, Refused, typedCode } from "@ledge/api";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Profile } from "../profile.ts";

/**
 * The time in which a hub without an owner may be claimed: for `limits.claimWindowMs` after each start, and
 * again when a person at the hub opens it. A trial hub may be claimed at any time.
 */
export class ClaimWindow {
  readonly origins: readonly string[];
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #random: RandomBytes;
  readonly #isAlwaysOpen: boolean;
  #until: number;
  #code: string;
  #wrongCodes = 0;

  constructor(
    clock: Pick<Clock, "monotonic">,
    profile: Pick<Profile, "trial" | "claimOrigins">,
    random: RandomBytes,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#isAlwaysOpen = profile.trial === true;
    this.origins = (profile.claimOrigins ?? []).map((origin) => origin.toLowerCase());
    this.#until = clock.monotonic() + limits.claimWindowMs;
    this.#code = letterCode(random);
  }

  /** The code with which somebody at the hub claims it without the cloud. It lasts as long as the window. */
  get code(): string {
    return this.#code;
  }

  /** Opens the window for as long as a start does, with a new code. */
  open(): void {
    this.#until = this.#clock.monotonic() + limits.claimWindowMs;
    this.#code = letterCode(this.#random);
    this.#wrongCodes = 0;
  }

  openForMs(): number {
    if (this.#isAlwaysOpen) return limits.claimWindowMs;
    return Math.max(0, this.#until - this.#clock.monotonic());
  }

  closed(): string | undefined {
    if (this.openForMs() > 0) return undefined;
    const minutes = limits.claimWindowMs / 60_000;
    return `the hub can be claimed for ${minutes} minutes after its start: restart it, or run "ledge claim open" on it`;
  }

  wrongCode(code: string): Refused | undefined {
    if (this.#wrongCodes >= limits.setupTries)
      return new Refused(403, 'too many wrong codes: restart the hub, or run "ledge claim open" on it');
    const [typed, wanted] = [Buffer.from(typedCode(code)), Buffer.from(this.#code)];
    if (typed.length === wanted.length && timingSafeEqual(typed, wanted)) return undefined;
    this.#wrongCodes++;
    return new Refused(403, "this is not the code that the hub shows");
  }
}
