import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { logFolder } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { type HistoryReport, type JobEnd, type RunningJob, startJob } from "./job.ts";

/** The index's folder within a data folder. */
export function historyFolder(folder: string): string {
  return join(folder, "history");
}

export interface HistoryOptions {
  readonly kernel: Pick<Kernel, "health" | "log" | "subscribe" | "timestamp">;
  /** The data folder. */
  readonly folder: string;
  /** What the index may take of the disk; undefined for a hub without one. */
  readonly quotaBytes: number | undefined;
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly logger: Logger;
  /** Module of the process that indexes; default: the hub's own. */
  readonly child?: URL;
}

/**
 * - `off`: this hub has no index
 * - `behind`: nobody has looked at the index since the start: nothing is read from it yet
 * - `ready`: it is read, up to its mark
 * - `failed`: it is done without, for a reason
 */
export type HistoryState = "off" | "behind" | "ready" | "failed";

export interface HistoryStatus {
  readonly state: HistoryState;
  readonly reason: string | null;
  readonly indexing: boolean;
  /** Up to where the log is indexed (ms), and from where on; 0 while that is not known. */
  readonly mark: number;
  readonly prunedTo: number;
  readonly usedBytes: number;
  readonly quotaBytes: number | null;
}

/** Has another process index the log, whenever enough has come. */
export class History {
  readonly #options: HistoryOptions;
  readonly #folder: string;
  #job: RunningJob | undefined;
  /** Killed by us: how it ended says nothing. */
  #abandoned: RunningJob | undefined;
  #running: Promise<void> = Promise.resolve();
  #state: HistoryState = "behind";
  #reason: string | null = null;
  #told = { mark: 0, prunedTo: 0, usedBytes: 0 };
  /** Events that the log had taken, and when (ms, monotonic), as the index was last brought up to it. */
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
      // What the index takes of a full disk, the hub can go on with.
      stateChanged: (state) => {
        if (state === "read-only") void this.#anew("the disk is full");
      },
    });
    this.#checkLater();
  }

  /** The index's folder, where it may be read. */
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

  /** Somebody asks: what was not looked at since the start is looked at now. */
  wanted(): void {
    if (this.#state === "behind" && this.#isIdle) this.#run();
  }

  /** What was read of it was damaged: it is thrown away, and made anew. */
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
      this.#options.logger.warn({ problem: report.problem }, "the history index is made anew");
      return;
    }
    if (report.type === "stopped") return;
    const { mark, prunedTo, usedBytes } = report;
    this.#told = { mark, prunedTo, usedBytes };
    // It was read as a whole, or is new.
    if (this.#state === "behind") this.#state = "ready";
  }

  #end(end: JobEnd): void {
    const { logger } = this.#options;
    this.#reason = end.type === "done" ? null : end.problem;
    if (end.type === "done") this.#failures = 0;
    if (end.type === "stopped") logger.warn({ problem: end.problem }, "the log could not be indexed");
    if (end.type !== "failed") return;
    this.#failures++;
    const isLast = this.#failures >= limits.historyFailures;
    logger.error({ problem: end.problem, isLast }, "the process that indexes the log has failed");
    // Whatever it has met in there.
    this.#shed();
    this.#state = isLast ? "failed" : "behind";
  }

  /** Throws the index away; it is made anew when that is due, and there is room. */
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
