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
  /** Told of what was pruned, and of what cannot be. */
  readonly onNote: (level: "info" | "warn" | "error", message: string, fields: object) => void;
  /** Told once that the log is damaged, or holds what nothing knows, where pruning reads it: nothing is pruned then. */
  readonly onDamaged: (problem: string) => void;
  /** Told at the first look, and when it has changed, whether the log is over its quota and nothing helps. */
  readonly onQuota?: (isExceeded: boolean) => void;
}

/** How much the log keeps, and how much it may. */
export interface RetentionStatus {
  /** Commits up to here (ms) are partial; 0 while the log is whole. */
  readonly horizon: number;
  readonly bases: number;
  readonly usedBytes: number;
  /** Null when nothing is pruned. */
  readonly quotaBytes: number | null;
  /** True while the log is over its quota. */
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
  readonly #lookout: Lookout;
  readonly #rest: Rest;
  /** What was told of the quota last, and when (elapsed ms) that it is exceeded. */
  #toldExceeded: boolean | undefined;
  #warnedAt = -Infinity;
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
        if (!(await this.#makeRoom("relief", worthIt(missing, usedBytes)))) return false;
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
   * Prunes the oldest telemetry, where that promises to free something. A disk that is full takes what little there
   * is; the quota waits for more of it, or until it has rested.
   * @param bytes of telemetry that are looked for
   * @returns whether the horizon has moved
   */
  async #makeRoom(reason: "quota" | "relief", bytes: number): Promise<boolean> {
    const { log, clock } = this.#parts;
    const ahead = await this.#lookout.look(bytes, this.#pause);
    const { usedBytes } = log.stats();
    if (ahead.telemetryBytes === 0) return false;
    if (reason === "quota" && !this.#rest.allows(ahead, clock.monotonic(), usedBytes)) return false;
    const found = await log.boundary(ahead.until, Infinity, this.#pause);
    // A block that is larger than what is looked for is gone through whole.
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
      const message = "the log is over its quota, and what is left of it is kept for ever";
      onNote("warn", message, { usedBytes, logBytes });
    }
    if (isExceeded === this.#toldExceeded) return;
    this.#toldExceeded = isExceeded;
    onQuota?.(isExceeded);
  }
}
