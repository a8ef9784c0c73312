import type { EventLog } from "@ledge/log";
import { limits } from "@ledge/model";
import type { Clock } from "../clock.ts";
import { isDamage, isFinal } from "../log-error.ts";
import { EvolveError } from "../decide.ts";
import { DailyBytes } from "./daily-bytes.ts";
import type { PastParts } from "./past.ts";
import { atOnce, decidePrune, type PruneOrder, type RetentionBounds } from "./policy.ts";
import { layBases, prune } from "./prune.ts";

export interface RetentionOptions extends RetentionBounds {
  /** Told of what was pruned, and of what cannot be. */
  readonly onNote: (level: "info" | "warn" | "error", message: string, fields: object) => void;
  /** Told once that the log is damaged, or holds what nothing knows, where pruning reads it: nothing is pruned then. */
  readonly onDamaged: (problem: string) => void;
}

/** How much the log keeps, and how much it may. */
export interface RetentionStatus {
  /** Commits up to here (ms) are partial; 0 while the log is whole. */
  readonly horizon: number;
  readonly bases: number;
  readonly usedBytes: number;
  /** Null when nothing is pruned. */
  readonly quotaBytes: number | null;
  /** True while the log is over its quota and nothing more of it may go. */
  readonly quotaExceeded: boolean;
  /** Bytes of frames written in the last day; in less time than that, carried on at that rate. */
  readonly bytesPerDay: number;
}

interface Parts {
  readonly log: EventLog;
  readonly past: PastParts;
  readonly clock: Clock;
  /** The hub's time (ms), and whether it is believed. */
  readonly now: () => number;
  readonly clockTrusted: () => boolean;
  /** Whether the log takes changes. */
  readonly isServing: () => boolean;
  /** The log takes no more commits. */
  readonly onBroken: (error: Error) => void;
  readonly pause: () => Promise<void>;
}

/** Raised between slices when the kernel closes. */
class StoppedError extends Error {}

/** Looks now and then whether the log has to be pruned, and prunes it and lays bases, in slices. */
export class Retention {
  readonly #parts: Parts;
  readonly #options: RetentionOptions | undefined;
  readonly #pause: () => Promise<void>;
  #work: Promise<unknown> = Promise.resolve();
  #cancelCheck: () => void = () => {};
  #isStopped = false;
  #agePrunedAt = -Infinity;
  #isPruningQuota = false;
  /** Monotonic time (ms) until which the quota is not pruned: nothing more can go. */
  #exhaustedUntil = -Infinity;
  #quotaExceeded = false;
  #isDamaged = false;
  /** Events behind the newest base when so many had been appended; unknown until the first look. */
  #laid: { readonly behind: number; readonly appended: number } | undefined;
  readonly #written = new DailyBytes();

  /** @param options without them the log is only pruned by `relieve` */
  constructor(parts: Parts, options: RetentionOptions | undefined) {
    this.#parts = parts;
    this.#options = options;
    this.#pause = async () => {
      await parts.pause();
      if (this.#isStopped) throw new StoppedError("the kernel closes");
    };
    this.#written.note(parts.clock.monotonic(), 0);
    if (options !== undefined) this.#checkLater();
  }

  get status(): RetentionStatus {
    const { log, clock } = this.#parts;
    const stats = log.stats();
    return {
      horizon: log.horizon,
      bases: log.bases().length,
      usedBytes: stats.usedBytes,
      quotaBytes: this.#options?.logBytes ?? null,
      quotaExceeded: this.#quotaExceeded,
      bytesPerDay: this.#written.perDay(clock.monotonic(), stats.frameBytes),
    };
  }

  get quotaExceeded(): boolean {
    return this.#quotaExceeded;
  }

  /**
   * Prunes telemetry, the oldest first, until the log's file takes `limits.reliefBytes` without growing.
   * @returns whether it does; false when all that is left is kept for ever, or the log is damaged
   * @throws LogError as `EventLog.compact`
   */
  relieve(): Promise<boolean> {
    const relieved = this.#inTurn(async () => {
      while (!this.#isDamaged) {
        const { usedBytes, spareBytes } = this.#parts.log.stats();
        const missing = limits.reliefBytes - spareBytes;
        if (missing <= 0) return true;
        if (!(await this.#prune(atOnce("relief", missing, usedBytes)))) return false;
      }
      return false;
    });
    return relieved.catch((error: Error) => {
      if (!this.#stopsOver(error)) throw error;
      return false;
    });
  }

  /** What is damaged stays as it is, for whoever repairs it; the hub itself does not read so far back. */
  #stopsOver(error: Error): boolean {
    if (!(error instanceof EvolveError) && !isDamage(error)) return false;
    this.#isDamaged = true;
    const { message: reason } = error;
    this.#options?.onNote("error", "the log is damaged, and is not pruned any more", { reason });
    this.#options?.onDamaged(reason);
    return true;
  }

  /** Resolves when nothing is under way; what is in slices ends with the next. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCheck();
    await this.#work;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  #checkLater(): void {
    this.#cancelCheck = this.#parts.clock.after(limits.retentionCheckMs, () => {
      const checked = this.#inTurn(() => this.#check());
      checked
        .catch((error: Error) => {
          if (error instanceof StoppedError || this.#stopsOver(error)) return;
          if (isFinal(error)) this.#parts.onBroken(error);
          this.#options?.onNote("error", "the log could not be pruned", { reason: error.message });
        })
        .finally(() => {
          if (!this.#isStopped) this.#checkLater();
        });
    });
  }

  async #check(): Promise<void> {
    const { log, clock } = this.#parts;
    this.#written.note(clock.monotonic(), log.stats().frameBytes);
    if (!this.#parts.isServing() || this.#isDamaged) return;
    await this.#layBases();
    for (;;) {
      const order = this.#order();
      if (order === undefined || !(await this.#prune(order)) || order.reason === "age") return;
    }
  }

  async #layBases(): Promise<void> {
    const { log, past } = this.#parts;
    const { events: appended } = log.stats();
    const behind = this.#laid && this.#laid.behind + appended - this.#laid.appended;
    if (behind !== undefined && behind < limits.baseEvents) return;
    this.#laid = { behind: await layBases(log, past, this.#pause), appended };
  }

  #order(): PruneOrder | undefined {
    const { log, clock, now, clockTrusted } = this.#parts;
    const options = this.#options;
    if (options === undefined) return undefined;
    const { usedBytes } = log.stats();
    const figures = {
      now: now(),
      clockTrusted: clockTrusted(),
      oldest: log.read(log.horizon).next().value?.timestamp,
      usedBytes,
      sinceAgePruneMs: clock.monotonic() - this.#agePrunedAt,
    };
    if (usedBytes <= options.logBytes) this.#quotaExceeded = false;
    const order = decidePrune(figures, options, this.#isPruningQuota);
    this.#isPruningQuota = order?.reason === "quota";
    const isExhausted = clock.monotonic() < this.#exhaustedUntil;
    return isExhausted && order?.reason !== "age" ? undefined : order;
  }

  /** @returns whether the horizon has moved */
  async #prune({ reason, until, bytes }: PruneOrder): Promise<boolean> {
    const { log, past, clock } = this.#parts;
    if (reason === "age") this.#agePrunedAt = clock.monotonic();
    const horizon = await log.boundary(until, bytes, this.#pause);
    if (horizon <= log.horizon) {
      if (reason === "quota") this.#exhausted();
      return false;
    }
    const { removedEvents } = await prune(log, horizon, past, this.#pause);
    this.#options?.onNote("info", "the log was pruned", { reason, horizon, removedEvents });
    return true;
  }

  /** All that may go is gone. */
  #exhausted(): void {
    this.#exhaustedUntil = this.#parts.clock.monotonic() + limits.agePruneMs;
    this.#isPruningQuota = false;
    const { logBytes = Infinity } = this.#options ?? {};
    const { usedBytes } = this.#parts.log.stats();
    this.#quotaExceeded = usedBytes > logBytes;
    if (!this.#quotaExceeded) return;
    const message = "the log is over its quota, and what is left of it is kept for ever";
    this.#options?.onNote("warn", message, { usedBytes, logBytes });
  }
}
