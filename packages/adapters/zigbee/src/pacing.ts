import type { AdapterClock, NativeId } from "@ledge/port";
import type { AttributeValues, Corrections } from "./map/index.ts";

/** Readings of a unit that are reported at intervals. */
interface Pace {
  /** When each reading was last reported (ms). */
  readonly at: Map<string, number>;
  /** The newest values that wait. */
  readonly waiting: Map<string, unknown>;
  readonly cancels: Map<string, () => void>;
}

/** Holds readings back that come more often than their unit may report them; the newest value is reported later. */
export class Pacing {
  readonly #clock: AdapterClock;
  readonly #report: (native: NativeId, attributes: AttributeValues) => void;
  readonly #paces = new Map<NativeId, Pace>();

  constructor(clock: AdapterClock, report: (native: NativeId, attributes: AttributeValues) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Returns what to report now. */
  passing(native: NativeId, { byAttribute }: Corrections, attributes: AttributeValues): AttributeValues {
    const now = this.#clock.now();
    const passing = Object.entries(attributes).filter(([name, value]) => {
      const ms = (byAttribute.get(name)?.minSeconds ?? 0) * 1000;
      if (ms === 0 || typeof value !== "number") return true;
      const pace = this.#paceOf(native);
      const last = pace.at.get(name);
      // A clock that was set back must not hold readings for long.
      const left = last === undefined || last > now ? 0 : last + ms - now;
      if (left <= 0) {
        this.#cancel(pace, name);
        pace.at.set(name, now);
        return true;
      }
      pace.waiting.set(name, value);
      if (!pace.cancels.has(name))
        pace.cancels.set(
          name,
          this.#clock.after(left, () => this.#release(native, pace, name)),
        );
      return false;
    });
    return passing.length === Object.keys(attributes).length ? attributes : Object.fromEntries(passing);
  }

  /** Drops what waits of a unit: its settings have changed, or the hub has removed it. */
  forget(native: NativeId): void {
    for (const cancel of this.#paces.get(native)?.cancels.values() ?? []) cancel();
    this.#paces.delete(native);
  }

  stop(): void {
    for (const native of this.#paces.keys()) this.forget(native);
  }

  #paceOf(native: NativeId): Pace {
    const known = this.#paces.get(native);
    if (known !== undefined) return known;
    const pace = { at: new Map(), waiting: new Map(), cancels: new Map() };
    this.#paces.set(native, pace);
    return pace;
  }

  #release(native: NativeId, pace: Pace, name: string): void {
    const value = pace.waiting.get(name);
    this.#cancel(pace, name);
    pace.at.set(name, this.#clock.now());
    this.#report(native, { [name]: value });
  }

  #cancel({ cancels, waiting }: Pace, name: string): void {
    cancels.get(name)?.();
    cancels.delete(name);
    waiting.delete(name);
  }
}
