import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { logFolder } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { type HistoryReport, type JobEnd, type RunningJob, startJob } from "./job.ts";

/** Returns the index's folder within a data folder. */
export function historyFolder(folder: string): string {
  return join(folder, "history");
}

export interface HistoryOptions {
  readonly kernel: Pick<Kernel, "health" | "log" | "subscribe" | "timestamp">;
  /** The data folder. */
  readonly folder: string;
  /** The maximum size of the index on disk; undefined for a hub without an index. */
  readonly quotaBytes: number | undefined;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
  /** Module of the indexing process. Default: the hub's own. */
  readonly child?: URL;
}

/**
 * - `off`: this hub has no index
 * - `behind`: the index was not checked since the start, so queries do not use it yet
 * - `ready`: queries use the index up to its mark
 * - `failed`: the hub goes on without the index, for a reason
 */
export type HistoryState = "off" | "behind" | "ready" | "failed";

export interface HistoryStatus {
  readonly state: HistoryState;
  readonly reason: string | null;
  readonly indexing: boolean;
  /** The log is indexed up to this time (ms) and from that one; 0 while unknown. */
  readonly mark: number;
  readonly prunedTo: number;
  readonly usedBytes: number;
  readonly quotaBytes: number | null;
}

/** Runs another process that indexes the log whenever enough new events have come. */
export class History {
  readonly #options: HistoryOptions;
  readonly #folder: string;
  #job: RunningJob | undefined;
  /** A job that this hub has killed, so its exit code means nothing. */
  #abandoned: RunningJob | undefined;
  #running: Promise<void> = Promise.resolve();
  #state: HistoryState = "behind";
  #reason: string | null = null;
  #told = { mark: 0, prunedTo: 0, usedBytes: 0 };
  /** The number of events in the log, and the time (ms, monotonic), at the last update of the index. */
  #indexed: { readonly events: number; readonly at: number } | undefined;
  #failures = 0;
  #isStarted = false;
  #isStopped = false;
  #cancelCheck: () => void = () => {};
  #unsubscribe: () => void = () => {};

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#folder = historyFolder(options.folder);
    if (options.quotaBytes === undefined) this.#state = "off";
  }

  start(): void {
    const { kernel, quotaBytes } = this.#options;
    if (quotaBytes === undefined) return this.#shed();
    this.#isStarted = true;
    this.#unsubscribe = kernel.subscribe({
      // On a full disk the hub can use the room of the index.
      stateChanged: (state) => {
        if (state === "read-only") void this.#anew("the disk is full");
      },
    });
    this.#checkLater();
  }

  /** The index's folder when queries may read it. */
  get folder(): string | undefined {
    return this.#state === "ready" ? this.#folder : undefined;
  }

  get status(): HistoryStatus {
    const { quotaBytes = null } = this.#options;
    return {
      state: this.#state,
      reason: this.#reason,
      indexing: this.#job !== undefined,
      ...this.#told,
      quotaBytes,
    };
  }

  /** Starts the pending check of the index, because a query wants it. */
  wanted(): void {
    if (this.#state === "behind" && this.#isIdle) this.#run();
  }

  /** Deletes and rebuilds the index, because a reader found damage. */
  distrust(): void {
    if (this.#state === "ready") void this.#anew("it is damaged");
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCheck();
    this.#unsubscribe();
    this.#job?.kill();
    await this.#running;
  }

  get #isIdle(): boolean {
    const { state } = this.#options.kernel.health;
    return this.#isStarted && !this.#isStopped && this.#job === undefined && state === "serving";
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.clock.after(limits.historyCheckMs, () => {
      if (this.#isDue()) this.#run();
      if (!this.#isStopped) this.#checkLater();
    });
  }

  #isDue(): boolean {
    if (!this.#isIdle || this.#state === "failed") return false;
    const { kernel, clock } = this.#options;
    if (this.#indexed === undefined) return true;
    const news = kernel.log.stats().events - this.#indexed.events;
    const waited = clock.monotonic() - this.#indexed.at;
    const isBehind = news > 0 || this.#state === "behind";
    return news >= limits.historyEvents || (isBehind && waited >= limits.historyWaitMs);
  }

  #run(): void {
    const { kernel, clock, folder, quotaBytes = 0, child } = this.#options;
    const indexed = { events: kernel.log.stats().events, at: clock.monotonic() };
    const verify = this.#state !== "ready";
    const job = startJob(
      { logFolder: logFolder(folder), folder: this.#folder, quotaBytes, verify },
      (report) => this.#hear(report),
      child,
    );
    this.#job = job;
    this.#running = this.#await(job, indexed);
  }

  async #await(job: RunningJob, indexed: { events: number; at: number }): Promise<void> {
    const end = await job.ended;
    this.#job = undefined;
    if (this.#isStopped || job === this.#abandoned) return;
    this.#indexed = indexed;
    this.#end(end);
  }

  #hear(report: HistoryReport): void {
    if (report.type === "rebuilt") {
      this.#options.logger.warn({ problem: report.problem }, "the history index is rebuilt");
      return;
    }
    if (report.type === "stopped") return;
    const { mark, prunedTo, usedBytes } = report;
    this.#told = { mark, prunedTo, usedBytes };
    // The index was verified or is new.
    if (this.#state === "behind") this.#state = "ready";
  }

  #end(end: JobEnd): void {
    const { logger } = this.#options;
    this.#reason = "problem" in end ? end.problem : null;
    if (end.type === "done") this.#failures = 0;
    if (end.type === "stopped") logger.warn({ problem: end.problem }, "the log could not be indexed");
    if (end.type !== "failed") return;
    this.#failures++;
    const isLast = this.#failures >= limits.historyFailures;
    logger.error({ problem: end.problem, isLast }, "the process that indexes the log has failed");
    // The index may be damaged in any way after a crash.
    this.#shed();
    this.#state = isLast ? "failed" : "behind";
  }

  /** Deletes the index. It is rebuilt when that is due and there is room. */
  async #anew(reason: string): Promise<void> {
    this.#abandoned = this.#job;
    this.#job?.kill();
    await this.#running;
    if (this.#isStopped) return;
    this.#shed();
    this.#state = "behind";
    this.#reason = reason;
    this.#indexed = undefined;
  }

  #shed(): void {
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true, force: true });
    this.#told = { mark: 0, prunedTo: 0, usedBytes: 0 };
  }
}
