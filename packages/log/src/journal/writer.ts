import { once } from "node:events";
import { getSystemErrorMessage } from "node:util";
import { Worker } from "node:worker_threads";
import { alignedMemory } from "./aligned-memory.ts";
import { writeFrame } from "./frame.ts";
import { regionBytes } from "./layout.ts";
import { answer, answered, type Shared, turns, words } from "./turns.ts";

/** In a bundle the thread's module is a separate file beside this one. */
const workerEntry = import.meta.url.endsWith(".ts")
  ? new URL("./worker.ts", import.meta.url)
  : new URL("./journal-worker.mjs", import.meta.url);

/** A worker needs little: it has no state and calls one function. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Writes frames through a separate thread, one at a time. Apart from `createJournal`, the worker's write is the
 * only write to the journal: one `pwrite` per frame to a descriptor opened with O_DSYNC, so that the frame is
 * flushed when the call returns.
 */
export class JournalWriter {
  readonly #words = new Int32Array(new SharedArrayBuffer(4 * 4));
  readonly #memory = alignedMemory(regionBytes);
  readonly #frame = Buffer.from(this.#memory);
  readonly #epoch: bigint;
  readonly #worker: Worker;
  #failure: Error | undefined;
  /** How many frames are on disk. */
  flushes = 0;

  /**
   * @param descriptor of the journal; stays open after `close`
   * @param entry the worker's module
   */
  constructor(descriptor: number, epoch: bigint, entry: URL = workerEntry) {
    this.#epoch = epoch;
    const shared: Shared = { descriptor, words: this.#words, memory: this.#memory };
    // Otherwise Node pipes the thread's streams, silent as they are, into the process's streams and makes those
    // non-blocking.
    const streams = { stdout: true, stderr: true };
    this.#worker = new Worker(entry, {
      name: "journal",
      workerData: shared,
      execArgv: [],
      resourceLimits,
      ...streams,
    });
    // An idle journal does not keep the process alive; a frame in flight does.
    this.#worker.unref();
    this.#worker.once("error", (error) => this.#end(error));
    this.#worker.once("exit", () => this.#end(new Error("the journal's thread has ended")));
  }

  /**
   * Writes the frame of a block and resolves when it is on disk. One call at a time.
   * @param position bytes from the start of the file, a multiple of a page
   * @throws Error when the write fails or is short; every later write then fails too
   */
  async write(block: Uint8Array, position: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const length = writeFrame(this.#frame, this.#epoch, block);
    Atomics.store(this.#words, words.length, length);
    Atomics.store(this.#words, words.position, position);
    this.#worker.ref();
    answer(this.#words, turns.asked);
    await answered(this.#words);
    this.#worker.unref();
    const result = Atomics.load(this.#words, words.result);
    this.#failure ??= failureOf(result, length);
    if (this.#failure !== undefined) throw this.#failure;
    this.flushes += 1;
  }

  /** Ends the thread. Call it when nothing is in flight. */
  async close(): Promise<void> {
    if (Atomics.load(this.#words, words.turn) === turns.ended) return;
    this.#worker.ref();
    const ended = once(this.#worker, "exit");
    answer(this.#words, turns.ended);
    await ended;
  }

  #end(error: Error): void {
    this.#failure ??= error;
    // Also wakes a write that waits for its answer.
    answer(this.#words, turns.ended);
  }
}

function failureOf(result: number, length: number): Error | undefined {
  if (result === length) return undefined;
  if (result >= 0) return new Error(`only ${result} of ${length} bytes were written to the journal`);
  return new Error(`the journal cannot be written: ${getSystemErrorMessage(result)}`);
}
