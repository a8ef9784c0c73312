import type { EventLog } from "@ledge/log";
import { limits } from "@ledge/model";
import type { Clock } from "../clock.ts";
import { isDamage, isFinal } from "../log-error.ts";
import { EvolveError } from "../decide.ts";
import { DailyBytes } from "./daily-bytes.ts";
import type { PastParts } from "./past.ts";
import { Lookout } from "./ahead.ts";
import { decideAge, isFruit, overQuota, type RetentionBounds, worthIt } from "./policy.ts";
import { layBases, prune } from "./prune.ts";
import { Rest } from "./rest.ts";

export interface RetentionOptions extends RetentionBounds {
  /** Called with what was pruned and what cannot be. */
  readonly onNote: (level: "info" | "warn" | "error", message: string, fields: object) => void;
  /**
   * Called once when pruning finds that the log is damaged or holds an unknown event. Nothing is pruned from then
   * on.
   */
  readonly onDamaged: (problem: string) => void;
  /** Called at the first check and on every change: whether the log exceeds its quota and pruning cannot help. */
  readonly onQuota?: (isExceeded: boolean) => void;
}

/** What the log keeps, and its bounds. */
export interface RetentionStatus {
  /** Commits up to this timestamp (ms) are partial; 0 while the log is whole. */
  readonly horizon: number;
  readonly bases: number;
  readonly usedBytes: number;
  /** Null when nothing is pruned. */
  readonly quotaBytes: number | null;
  /** Whether the log exceeds its quota. */
  readonly quotaExceeded: boolean;
  /** Bytes of frames written in the last day, extrapolated while the hub has run for less. */
  readonly bytesPerDay: number;
}

interface Parts {
  readonly log: EventLog;
  readonly past: PastParts;
  readonly clock: Clock;
  /** The hub's time (ms), and whether it is trusted. */
  readonly now: () => number;
  readonly clockTrusted: () => boolean;
  /** Whether the log accepts changes. */
  readonly isServing: () => boolean;
  /** Called when the log accepts no more commits. */
  readonly onBroken: (error: Error) => void;
  readonly pause: () => Promise<void>;
}

/** Thrown between slices when the kernel closes. */
class StoppedError extends Error {}

/** Checks now and then whether the log must be pruned. Prunes it and writes bases, in slices. */
export class Retention {
  readonly #parts: Parts;
  readonly #options: RetentionOptions | undefined;
  readonly #pause: () => Promise<void>;
  #work: Promise<unknown> = Promise.resolve();
  #cancelCheck: () => void = () => {};
  #isStopped = false;
  #agePrunedAt = -Infinity;
  #isPruningQuota = false;
  readonly #lookout: Lookout;
  readonly #rest: Rest;
  /** The last reported state of the quota, and when (elapsed ms) the last warning was logged. */
  #toldExceeded: boolean | undefined;
  #warnedAt = -Infinity;
  #isDamaged = false;
  /** How many events followed the newest base at a given count of appended events; unknown until the first check. */
  #laid: { readonly behind: number; readonly appended: number } | undefined;
  readonly #written = new DailyBytes();

  /** @param options without them only `relieve` prunes the log */
  constructor(parts: Parts, options: RetentionOptions | undefined) {
    this.#parts = parts;
    this.#options = options;
    this.#pause = async () => {
      await parts.pause();
      if (this.#isStopped) throw new StoppedError("the kernel is closing");
    };
    const events = parts.past.aggregates.flatMap((aggregate) => aggregate.events);
    const telemetry = events.flatMap(({ type, telemetry: attributes }) => (attributes ? [type] : []));
    this.#lookout = new Lookout(parts.log, new Set(telemetry));
    this.#rest = new Rest(parts.clock.monotonic(), parts.log.stats().usedBytes);
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
      quotaExceeded: this.#isExceeded(stats.usedBytes),
      bytesPerDay: this.#written.perDay(clock.monotonic(), stats.frameBytes),
    };
  }

  get quotaExceeded(): boolean {
    return this.#options !== undefined && this.#isExceeded(this.#parts.log.stats().usedBytes);
  }

  #isExceeded(usedBytes: number): boolean {
    return usedBytes > (this.#options?.logBytes ?? Infinity);
  }

  /**
   * Prunes telemetry, oldest first, until the log's file takes `limits.reliefBytes` without growing.
   * @returns whether it does; false when everything left is kept for ever, or the log is damaged
   * @throws LogError as `EventLog.compact`
   */
  relieve(): Promise<boolean> {
    const relieved = this.#inTurn(async () => {
      while (!this.#isDamaged) {
        const { usedBytes, spareBytes } = this.#parts.log.stats();
        const missing = limits.reliefBytes - spareBytes;
        if (missing <= 0) return true;
        if (!(await this.#makeRoom("relief", worthIt(missing, usedBytes)))) return false;
      }
      return false;
    });
    return relieved.catch((error: Error) => {
      if (!this.#stopsOver(error)) throw error;
      return false;
    });
  }

  /**
   * Stops pruning at damage, which is left for a repair. The hub itself goes on, because it does not read so far
   * back.
   */
  #stopsOver(error: Error): boolean {
    if (!(error instanceof EvolveError) && !isDamage(error)) return false;
    this.#isDamaged = true;
    const { message: reason } = error;
    this.#options?.onNote("error", "the log is damaged and is no longer pruned", { reason });
    this.#options?.onDamaged(reason);
    return true;
  }

  /** Stops the checks. Resolves when the current work has ended, at the latest with its current slice. */
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
    if (this.#options !== undefined) await this.#keepWithin(this.#options);
  }

  async #keepWithin(options: RetentionOptions): Promise<void> {
    const { log } = this.#parts;
    for (;;) {
      const bytes = overQuota(log.stats().usedBytes, options, this.#isPruningQuota);
      this.#isPruningQuota = bytes > 0 && (await this.#makeRoom("quota", bytes));
      if (!this.#isPruningQuota) break;
    }
    await this.#pruneByAge(options);
    this.#tellQuota(options);
  }

  async #layBases(): Promise<void> {
    const { log, past } = this.#parts;
    const { events: appended } = log.stats();
    const behind = this.#laid && this.#laid.behind + appended - this.#laid.appended;
    if (behind !== undefined && behind < limits.baseEvents) return;
    this.#laid = { behind: await layBases(log, past, this.#pause), appended };
  }

  async #pruneByAge(options: RetentionOptions): Promise<void> {
    const { log, clock, now, clockTrusted } = this.#parts;
    const order = decideAge(
      {
        now: now(),
        clockTrusted: clockTrusted(),
        oldest: log.read(log.horizon).next().value?.timestamp,
        usedBytes: log.stats().usedBytes,
        sinceAgePruneMs: clock.monotonic() - this.#agePrunedAt,
      },
      options,
    );
    if (order === undefined) return;
    this.#agePrunedAt = clock.monotonic();
    await this.#prune("age", await log.boundary(order.until, order.bytes, this.#pause));
  }

  /**
   * Prunes the oldest telemetry if that promises to free something. On a full disk any amount will do; for the
   * quota it waits until there is more telemetry, or until it has rested.
   * @param bytes how much telemetry to look for
   * @returns whether the horizon has moved
   */
  async #makeRoom(reason: "quota" | "relief", bytes: number): Promise<boolean> {
    const { log, clock } = this.#parts;
    const ahead = await this.#lookout.look(bytes, this.#pause);
    const { usedBytes } = log.stats();
    if (ahead.telemetryBytes === 0) return false;
    if (reason === "quota" && !this.#rest.allows(ahead, clock.monotonic(), usedBytes)) return false;
    const found = await log.boundary(ahead.until, Infinity, this.#pause);
    // A block larger than that is compacted as a whole.
    const horizon = found > log.horizon ? found : await log.boundary(Infinity, 1, this.#pause);
    if (!(await this.#prune(reason, horizon))) return false;
    const left = log.stats().usedBytes;
    this.#rest.after(isFruit(usedBytes - left, usedBytes), clock.monotonic(), left);
    return true;
  }

  /** @returns whether the horizon has moved */
  async #prune(reason: "age" | "quota" | "relief", horizon: number): Promise<boolean> {
    const { log, past } = this.#parts;
    if (horizon <= log.horizon) return false;
    const { removedEvents } = await prune(log, horizon, past, this.#pause);
    this.#options?.onNote("info", "the log was pruned", { reason, horizon, removedEvents });
    return true;
  }

  #tellQuota({ logBytes, onNote, onQuota }: RetentionOptions): void {
    const { usedBytes } = this.#parts.log.stats();
    const elapsed = this.#parts.clock.monotonic();
    const isExceeded = this.#isExceeded(usedBytes);
    if (isExceeded && elapsed - this.#warnedAt >= limits.agePruneMs) {
      this.#warnedAt = elapsed;
      const message = "the log exceeds its quota, and everything left in it is kept for ever";
      onNote("warn", message, { usedBytes, logBytes });
    }
    if (isExceeded === this.#toldExceeded) return;
    this.#toldExceeded = isExceeded;
    onQuota?.(isExceeded);
  }
}
