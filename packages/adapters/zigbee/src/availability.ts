import type { AdapterClock } from "@ledge/port";
import type { Chores } from "./chores.ts";

/** How long devices may be silent, and how they are pinged. All in ms, except the count. */
export interface AvailabilityTiming {
  /** A mains device that was silent for this long is pinged. */
  readonly pingAfterMs: number;
  /** The pause after an unanswered ping; doubles each time, up to `pingPauseMaxMs`. */
  readonly pingPauseMs: number;
  readonly pingPauseMaxMs: number;
  /** The number of unanswered pings after which a device is unreachable. */
  readonly pings: number;
  /** A battery device that was silent for this long is unreachable. */
  readonly silenceMs: number;
  /** How long the stick may be away before its devices become unreachable. */
  readonly graceMs: number;
  readonly checkMs: number;
}

export const availabilityTiming: AvailabilityTiming = {
  pingAfterMs: 600_000,
  pingPauseMs: 60_000,
  pingPauseMaxMs: 1_800_000,
  pings: 2,
  // Devices report at least once a day.
  silenceMs: 90_000_000,
  graceMs: 3000,
  checkMs: 15_000,
};

/** How many check-ins a device may miss. */
const missedCheckIns = 4;
const checkInLeastMs = 3_600_000;

interface Watched {
  readonly isMains: boolean;
  /** How long it may be silent. */
  readonly silenceMs: number;
  silentMs: number;
  /** Undefined until known. */
  reachable: boolean | undefined;
  unanswered: number;
  /** The remaining pause before the next ping. */
  pauseMs: number;
}

/** What to watch of a device, all in ms. */
export interface Watching {
  readonly isMains: boolean;
  readonly checkInMs?: number;
  readonly silentMs: number;
  readonly allowedMs?: number;
}

/** Options of `Availability`. */
export interface AvailabilityOptions {
  readonly clock: AdapterClock;
  readonly timing: AvailabilityTiming;
  readonly chores: Chores;
  /** Sends a device any request; rejects without an answer. */
  readonly ping: (ieee: string, unanswered: number) => Promise<void>;
  readonly report: (ieee: string, reachable: boolean) => void;
}

/** Tracks which devices are reachable: mains devices must answer pings, others must report in time. */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #watched = new Map<string, Watched>();
  #isUp = false;
  /** Every device counts as reachable. */
  #isIgnored = false;
  #checkedAt = 0;
  #cancelCheck: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /**
   * Watches a device, or restarts its watch.
   * @param checkInMs how often the device checks in, by its own account.
   * @param silentMs how long it has been silent.
   * @param allowedMs how long users let it be silent; by default what suits the device.
   */
  watch(ieee: string, { isMains, checkInMs, silentMs, allowedMs }: Watching): void {
    const { timing } = this.#options;
    const own = checkInMs && Math.max(checkInMs * missedCheckIns, checkInLeastMs);
    const silenceMs = allowedMs ?? (isMains ? timing.pingAfterMs : (own ?? timing.silenceMs));
    const reachable = this.#watched.get(ieee)?.reachable;
    const watched = { isMains, silenceMs, silentMs, reachable, unanswered: 0, pauseMs: 0 };
    this.#watched.set(ieee, watched);
    if (this.#isUp) this.#judge(ieee, watched);
    else if (this.#isIgnored) this.#set(ieee, watched, true);
  }

  forget(ieee: string): void {
    this.#watched.delete(ieee);
  }

  isReachable(ieee: string): boolean {
    return this.#watched.get(ieee)?.reachable === true;
  }

  /** Returns how long a device was silent while the stick listened (ms). */
  silenceOf(ieee: string): number {
    return this.#watched.get(ieee)?.silentMs ?? 0;
  }

  /**
   * Returns how long a device has been silent and may be silent (ms); null for no limit, and for a device that
   * is not watched.
   */
  timesOf(ieee: string): { readonly silentMs: number | null; readonly silenceMs: number | null } {
    const { silentMs = Infinity, silenceMs = Infinity } = this.#watched.get(ieee) ?? {};
    const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);
    return { silentMs: finite(silentMs), silenceMs: finite(silenceMs) };
  }

  /** Records a frame of the device. */
  heard(ieee: string): void {
    const watched = this.#watched.get(ieee);
    if (watched === undefined) return;
    watched.silentMs = 0;
    watched.unanswered = 0;
    watched.pauseMs = 0;
    if (this.#isUp) this.#set(ieee, watched, true);
  }

  /** Records that the device has left. */
  left(ieee: string): void {
    const watched = this.#watched.get(ieee);
    if (watched === undefined) return;
    watched.silentMs = watched.silenceMs;
    watched.unanswered = this.#options.timing.pings;
    this.#set(ieee, watched, this.#isIgnored);
  }

  radioUp(): void {
    this.#cancelGrace?.();
    this.#cancelGrace = undefined;
    this.#isUp = true;
    for (const [ieee, watched] of this.#watched) this.#judge(ieee, watched);
    this.#checkedAt = this.#options.clock.now();
    this.#check();
  }

  /** @param graceMs how long until its devices become unreachable. */
  radioDown(graceMs = this.#options.timing.graceMs): void {
    this.stop();
    this.#cancelGrace = this.#options.clock.after(graceMs, () => this.#allAway());
  }

  /** Stops all checks and reports. */
  stop(): void {
    this.#isUp = false;
    this.#cancelCheck?.();
    this.#cancelGrace?.();
  }

  ignore(isIgnored: boolean): void {
    if (isIgnored === this.#isIgnored) return;
    this.#isIgnored = isIgnored;
    for (const [ieee, watched] of this.#watched) {
      if (isIgnored) this.#set(ieee, watched, true);
      else if (this.#isUp) this.#judge(ieee, watched);
      else this.#set(ieee, watched, false);
    }
  }

  #allAway(): void {
    if (this.#isIgnored) return;
    for (const [ieee, watched] of this.#watched) this.#set(ieee, watched, false);
  }

  /**
   * Advances time only by the check's interval: a changed wall clock or an absent stick makes no device
   * silent.
   */
  #check(): void {
    const { clock, timing } = this.#options;
    const now = clock.now();
    const passedMs = Math.min(Math.max(now - this.#checkedAt, 0), timing.checkMs * 2);
    this.#checkedAt = now;
    for (const [ieee, watched] of this.#watched) {
      watched.silentMs += passedMs;
      watched.pauseMs = Math.max(watched.pauseMs - passedMs, 0);
      if (watched.silentMs < watched.silenceMs) continue;
      if (!watched.isMains) this.#set(ieee, watched, this.#isIgnored);
      else if (watched.pauseMs === 0) this.#ask(ieee, watched);
    }
    this.#cancelCheck = clock.after(timing.checkMs, () => this.#check());
  }

  #ask(ieee: string, watched: Watched): void {
    const { chores, ping, timing } = this.#options;
    chores.add(`ping ${ieee}`, async () => {
      if (watched.silentMs < watched.silenceMs || !this.#isUp) return;
      try {
        await ping(ieee, watched.unanswered);
        if (this.#isUp) this.heard(ieee);
      } catch (error) {
        if (!this.#isUp || this.#watched.get(ieee) !== watched) return;
        watched.pauseMs = Math.min(timing.pingPauseMs * 2 ** watched.unanswered, timing.pingPauseMaxMs);
        watched.unanswered += 1;
        if (watched.unanswered >= timing.pings) this.#set(ieee, watched, this.#isIgnored);
        throw error;
      }
    });
  }

  /** A device heard recently is reachable. A silent mains device is pinged before it is reported. */
  #judge(ieee: string, watched: Watched): void {
    const isHeard = watched.silentMs < watched.silenceMs;
    if (isHeard || this.#isIgnored) this.#set(ieee, watched, true);
    else if (!watched.isMains || watched.unanswered >= this.#options.timing.pings)
      this.#set(ieee, watched, false);
  }

  #set(ieee: string, watched: Watched, reachable: boolean): void {
    if (watched.reachable === reachable) return;
    watched.reachable = reachable;
    this.#options.report(ieee, reachable);
  }
}
