import { limits } from "@ledge/model";
import { type Bus, BusError } from "./bus.ts";

/** What the bus needs to run. */
export interface MemoryBusOptions {
  /** Calls back after ms; returns a function that cancels. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Gets what a handler throws. */
  readonly onError: (error: unknown) => void;
}

type Handle = (key: string, bytes: Uint8Array) => void | Promise<void>;
type Answer = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A bus within one process. */
class MemoryBus implements Bus {
  readonly #options: MemoryBusOptions;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** By topic, the newest last. */
  readonly #servers = new Map<string, Answer[]>();
  #isClosed = false;

  constructor(options: MemoryBusOptions) {
    this.#options = options;
  }

  publish(topic: string, key: string, bytes: Uint8Array | (() => Uint8Array)): void {
    this.#requireOpen();
    const subscribers = this.#subscribers.get(topic);
    if (subscribers === undefined) return;
    const message = typeof bytes === "function" ? bytes() : bytes;
    for (const subscriber of subscribers) subscriber.take(key, message);
  }

  subscribe(topic: string, handle: Handle): () => void {
    this.#requireOpen();
    const subscriber = new Subscriber(handle, this.#options.onError);
    const present = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, present.add(subscriber));
    return () => {
      subscriber.end();
      present.delete(subscriber);
      if (present.size === 0 && this.#subscribers.get(topic) === present) this.#subscribers.delete(topic);
    };
  }

  async request(
    topic: string,
    bytes: Uint8Array,
    { timeoutMs = limits.busAnswerMs }: { readonly timeoutMs?: number } = {},
  ): Promise<Uint8Array> {
    this.#requireOpen();
    const answer = this.#servers.get(topic)?.at(-1);
    if (answer === undefined) throw new BusError("no-server", `nobody serves ${topic}`);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const cancel = this.#options.after(timeoutMs, () =>
      reject(new BusError("timeout", `${topic} did not answer in ${timeoutMs} ms`)),
    );
    answered(answer, bytes).then(resolve, (cause: unknown) =>
      reject(new BusError("failed", `${topic} failed: ${(cause as Error).message}`, { cause })),
    );
    try {
      return await promise;
    } finally {
      cancel();
    }
  }

  serve(topic: string, answer: Answer): () => void {
    this.#requireOpen();
    this.#servers.set(topic, [...(this.#servers.get(topic) ?? []), answer]);
    return () => {
      const left = (this.#servers.get(topic) ?? []).filter((one) => one !== answer);
      if (left.length > 0) this.#servers.set(topic, left);
      else this.#servers.delete(topic);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const present of this.#subscribers.values()) for (const subscriber of present) subscriber.end();
    this.#subscribers.clear();
    this.#servers.clear();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new BusError("closed", "the bus is closed");
  }
}

/** Calls a server; also what it throws at once becomes a rejection. */
async function answered(answer: Answer, bytes: Uint8Array): Promise<Uint8Array> {
  return answer(bytes.slice());
}

/** Holds what waits for one handler: the newest message of each key. */
class Subscriber {
  readonly #handle: Handle;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, Uint8Array>();
  #isRunning = false;
  #isEnded = false;

  constructor(handle: Handle, onError: (error: unknown) => void) {
    this.#handle = handle;
    this.#onError = onError;
  }

  take(key: string, bytes: Uint8Array): void {
    this.#waiting.set(key, bytes.slice());
    if (this.#waiting.size > limits.busWaiting) {
      const [oldest] = this.#waiting.keys();
      if (oldest !== undefined) this.#waiting.delete(oldest);
    }
    if (!this.#isRunning) void this.#run();
  }

  end(): void {
    this.#isEnded = true;
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // The publisher goes on before the first handler runs.
    await Promise.resolve();
    for (const [key, bytes] of this.#waiting) {
      this.#waiting.delete(key);
      try {
        await this.#handle(key, bytes);
      } catch (error) {
        this.#onError(error);
      }
      if (this.#isEnded) break;
    }
    this.#isRunning = false;
  }
}

/** A bus within one process, for an embedded platform. */
export function memoryBus(options: MemoryBusOptions): Bus {
  return new MemoryBus(options);
}
