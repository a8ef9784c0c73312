import { totalmem } from "node:os";
import { Worker } from "node:worker_threads";
import type { PlainRefused, Question, ThreadData, ThreadMessage } from "./messages.ts";
import { limits } from "@ledge/model";
import type { Clock } from "@ledge/kernel";

/** Among bundles the thread's module is a file of its own beside the one that this is part of. */
const workerEntry = import.meta.url.endsWith(".ts")
  ? new URL("./worker.ts", import.meta.url)
  : new URL("./past-worker.mjs", import.meta.url);

/** What comes of a question: bytes of JSON, why there are none, or that the thread has ended over it. */
export type Told = Uint8Array | PlainRefused | ThreadEnded;

export interface ThreadEnded {
  readonly ended: string;
}

/** A thread that reads the past: one question at a time. It ends when that fails, and takes no more then. */
export class PastThread {
  readonly #clock: Pick<Clock, "after">;
  readonly #givenUp = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  readonly #up: Promise<void>;
  readonly #exit: Promise<void>;
  #ended: string | undefined;
  #onEnd: (why: string) => void = () => {};
  #onMessage: (message: ThreadMessage) => void = () => {};

  /** @param entry the thread's module */
  constructor(data: Omit<ThreadData, "givenUp">, clock: Pick<Clock, "after">, entry: URL = workerEntry) {
    this.#clock = clock;
    const workerData: ThreadData = { ...data, givenUp: this.#givenUp };
    this.#worker = new Worker(entry, {
      name: "past",
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMbOf(totalmem()) },
      // Else the thread's silent streams are joined to the process's, which makes those non-blocking.
      stdout: true,
      stderr: true,
    });
    // Nobody waits for a thread when the process is to end.
    this.#worker.unref();
    // Not `once` of node:events, which fails with the thread.
    this.#exit = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#up = promise;
    const cancel = clock.after(limits.pastStartMs, () => this.#end("it did not start"));
    this.#worker.on("message", (message: ThreadMessage) => {
      if (message.type !== "up") return this.#onMessage(message);
      cancel();
      resolve();
    });
    this.#worker.once("error", (error) => this.#end(error.message));
    this.#worker.once("exit", () => {
      cancel();
      this.#end("it has ended");
      resolve();
    });
  }

  /** Whether it takes questions. */
  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** Nothing else is being asked. @throws the error of a task that failed on a fault of ours */
  async ask(question: Question): Promise<Told> {
    await this.#up;
    if (this.#ended !== undefined) return { ended: this.#ended };
    const { promise, resolve, reject } = Promise.withResolvers<Told>();
    const { number, budgetMs } = question;
    const cancel = this.#clock.after(budgetMs + limits.pastGraceMs, () => this.#end("it took too long"));
    this.#onEnd = (why) => resolve({ ended: why });
    this.#onMessage = (message) => {
      if (message.type === "up" || message.number !== number) return;
      if (message.type === "answered") resolve(message.bytes);
      else if (message.type === "refused") resolve(message);
      else reject(message.error);
    };
    this.#worker.postMessage(question, []);
    try {
      return await promise;
    } finally {
      cancel();
      this.#onEnd = this.#onMessage = () => {};
    }
  }

  /** Nobody waits for the answer to a question any more. */
  giveUp(number: number): void {
    Atomics.store(this.#givenUp, 0, number);
  }

  /** Ends it, whatever it does; resolves when it is gone. */
  async end(): Promise<void> {
    this.#end("the hub is shutting down");
    await this.#exit;
  }

  #end(why: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    void this.#worker.terminate();
    this.#onEnd(why);
  }
}

/** The heap (MiB) of a thread on a machine with so much memory (bytes). */
export function heapMbOf(memory: number): number {
  const part = Math.floor(memory / 2 ** 20 / limits.pastHeapParts);
  return Math.min(limits.pastHeapMb, Math.max(limits.pastHeapLeastMb, part));
}
