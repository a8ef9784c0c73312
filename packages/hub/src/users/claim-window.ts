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
  readonly #isAlwaysOpen: boolean;
  #until: number;

  constructor(clock: Pick<Clock, "monotonic">, profile: Pick<Profile, "trial" | "claimOrigins">) {
    this.#clock = clock;
    this.#isAlwaysOpen = profile.trial === true;
    this.origins = (profile.claimOrigins ?? []).map((origin) => origin.toLowerCase());
    this.#until = clock.monotonic() + limits.claimWindowMs;
  }

  /** Opens the window for as long as a start does. */
  open(): void {
    this.#until = this.#clock.monotonic() + limits.claimWindowMs;
  }

  closed(): string | undefined {
    if (this.#isAlwaysOpen || this.#clock.monotonic() < this.#until) return undefined;
    const minutes = limits.claimWindowMs / 60_000;
    return `the hub can be claimed for ${minutes} minutes after its start: restart it, or run "ledge claim open" on it`;
  }
}
