import { totalmem } from "node:os";
import { Worker } from "node:worker_threads";
import type { PlainRefused, Question, ThreadData, ThreadMessage } from "./messages.ts";
import { limits } from "@ledge/model";
import type { Clock } from "@ledge/kernel";

/** In a bundled release the thread's module is a file of its own beside the bundle. */
const workerEntry = import.meta.url.endsWith(".ts")
  ? new URL("./worker.ts", import.meta.url)
  : new URL("./past-worker.mjs", import.meta.url);

/** The result of a question: bytes of JSON, a refusal, or the end of the thread. */
export type Told = Uint8Array | PlainRefused | ThreadEnded;

export interface ThreadEnded {
  readonly ended: string;
}

/** A thread that reads the past, one question at a time. It ends at a failure and then takes no more questions. */
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
      // Otherwise Node pipes the thread's streams to those of the process and makes those non-blocking.
      stdout: true,
      stderr: true,
    });
    // The process need not wait for the thread at its end.
    this.#worker.unref();
    // `once` of node:events would reject on the thread's error.
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

  /** Whether the thread takes questions. */
  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** Asks a question; no other may be under way. @throws the error of a task with an internal fault */
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

  /** Tells the thread that nobody waits for the answer to a question. */
  giveUp(number: number): void {
    Atomics.store(this.#givenUp, 0, number);
  }

  /** Ends the thread, whatever it does; resolves when it is gone. */
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

/** Returns the heap limit (MiB) of a thread on a machine with this much memory (bytes). */
export function heapMbOf(memory: number): number {
  const part = Math.floor(memory / 2 ** 20 / limits.pastHeapParts);
  return Math.min(limits.pastHeapMb, Math.max(limits.pastHeapLeastMb, part));
}
