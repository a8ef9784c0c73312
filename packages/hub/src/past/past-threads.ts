import {
  type Asker,
  type AskingPast,
  type PastReader,
  type PastTask,
  type PastTasks,
  Refused,
} from "@ledge/api";
import type { Logger } from "@ledge/host/logger";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { History } from "../history/history.ts";
import { historyDamaged, type Question } from "./messages.ts";
import { PastThread } from "./thread.ts";

export interface PastThreadsOptions {
  readonly kernel: Pick<Kernel, "health">;
  /** The data folder. */
  readonly folder: string;
  readonly hubId: string;
  /** The API version with four components. */
  readonly version: string;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
  /** The index of the log. Default: none. */
  readonly history?: Pick<History, "folder" | "wanted" | "distrust">;
  /** Module of the threads. Default: the hub's own. */
  readonly entry?: URL;
}

interface Waiting {
  readonly question: Question;
  readonly resolve: (answer: Uint8Array | Refused) => void;
  readonly reject: (error: Error) => void;
}

/** Tasks that use the history index. */
const indexed: ReadonlySet<PastTask> = new Set(["history", "sums"]);

const shuttingDown = (): Refused => new Refused(503, "the hub is shutting down", [], 5);
const givenUp = (): Refused => new Refused(503, "nobody waits for the answer");

/**
 * Reads the log in threads, so that the main thread is not delayed: one thread for quick questions, one for
 * long ones. A thread starts with its first question and ends when it is idle.
 */
export class PastThreads implements PastReader {
  readonly #options: PastThreadsOptions;
  readonly #quick: Lane;
  readonly #long: Lane;
  /** The number of the question that a caller waits for. */
  readonly #asking = new Map<string, number>();
  #asked = 0;
  #isClosed = false;

  constructor(options: PastThreadsOptions) {
    this.#options = options;
    this.#quick = new Lane(options);
    this.#long = new Lane(options);
  }

  async ask<T extends PastTask>(
    task: T,
    args: PastTasks[T],
    asker: Asker,
    { budgetMs = limits.pastBudgetMs, signal }: AskingPast = {},
  ): Promise<Uint8Array | Refused> {
    const { state, reason } = this.#options.kernel.health;
    if (this.#isClosed) return shuttingDown();
    // A log that cannot be opened stays untouched, because LMDB may crash the process on damage.
    if (state === "rescue" || state === "failed")
      return new Refused(503, `the log cannot be read: ${reason ?? state}`);
    const caller = asker.viewer.user ?? "console";
    if (this.#asking.has(caller)) return new Refused(429, "one question about the past at a time", [], 1);
    if (signal?.aborted === true) return givenUp();
    const number = ++this.#asked;
    this.#asking.set(caller, number);
    // The thread may hear of it late, such as while it starts.
    const leave = (): void => {
      if (this.#asking.get(caller) === number) this.#asking.delete(caller);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const { history } = this.#options;
      if (indexed.has(task)) history?.wanted();
      const lane = budgetMs > limits.pastBudgetMs ? this.#long : this.#quick;
      return await lane.ask({ number, task, args, asker, budgetMs, historyFolder: history?.folder }, signal);
    } finally {
      signal?.removeEventListener("abort", leave);
      leave();
    }
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#quick.close(), this.#long.close()]);
  }
}

/** One thread and its queue of questions. */
class Lane {
  readonly #options: PastThreadsOptions;
  #waiting: Waiting[] = [];
  #asking: number | undefined;
  #thread: PastThread | undefined;
  #cancelIdle: () => void = () => {};
  #isClosed = false;

  constructor(options: PastThreadsOptions) {
    this.#options = options;
  }

  async ask(question: Question, signal: AbortSignal | undefined): Promise<Uint8Array | Refused> {
    if (this.#waiting.length >= limits.pastQuestions)
      return new Refused(503, "too many ask about the past; try again", [], 1);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | Refused>();
    const waiting = { question, resolve, reject };
    const giveUp = (): void => this.#giveUp(waiting);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#waiting.push(waiting);
    void this.#next();
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdle();
    for (const { resolve } of this.#waiting.splice(0)) resolve(shuttingDown());
    await this.#thread?.end();
  }

  #giveUp(waiting: Waiting): void {
    const { number } = waiting.question;
    if (this.#asking === number) return this.#thread?.giveUp(number);
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
    waiting.resolve(givenUp());
  }

  async #next(): Promise<void> {
    if (this.#asking !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const { question, resolve, reject } = next;
    this.#asking = question.number;
    this.#cancelIdle();
    try {
      resolve(await this.#answer(question));
    } catch (error) {
      reject(error as Error);
    }
    this.#asking = undefined;
    if (this.#isClosed) return;
    this.#cancelIdle = this.#options.clock.after(limits.pastIdleMs, () => this.#rest());
    void this.#next();
  }

  async #answer(question: Question): Promise<Uint8Array | Refused> {
    const { folder, hubId, version, clock, entry, logger, history } = this.#options;
    if (this.#thread?.isAlive !== true)
      this.#thread = new PastThread({ folder, hubId, version }, clock, entry);
    const told = await this.#thread.ask(question);
    if (told instanceof Uint8Array) return told;
    if ("status" in told) {
      const { status, message, problems, retryAfterS, more } = told;
      if (more["code"] === historyDamaged) history?.distrust();
      return new Refused(status, message, problems, retryAfterS, more);
    }
    if (this.#isClosed) return shuttingDown();
    logger.warn({ task: question.task, why: told.ended }, "the thread that reads the past has ended");
    return new Refused(503, `the past could not be read: ${told.ended}`, [], 1);
  }

  #rest(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.end();
  }
}
