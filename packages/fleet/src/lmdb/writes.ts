import { limits } from "@ledge/model";
import { RegisterStoreError } from "../register-store.ts";
import type { Environment } from "./environment.ts";

/** A write of a caller. */
export interface Write<T> {
  /** How many rows and bytes it may store. */
  readonly rows: number;
  readonly bytes: number;
  readonly run: (env: Environment) => T;
}

interface Waiting {
  readonly rows: number;
  readonly bytes: number;
  /** Runs within the transaction; returns what settles the caller once that is committed. */
  readonly run: (env: Environment) => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Carries out writes in call order. What waits while a transaction is committed shares the next one, up to
 * `limits.transactionRows`, so that no transaction keeps other work waiting for long.
 */
export class Writes {
  readonly #env: Environment;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Resolves when the write is committed. */
  add<T>({ rows, bytes, run }: Write<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const runs = (env: Environment): (() => void) => {
      const result = run(env);
      return () => resolve(result);
    };
    this.#waiting.push({ rows, bytes, run: runs, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Calls of the same turn share a transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#next());
    // In the turn that found nothing waiting: a later write begins a new run.
    this.#running = undefined;
  }

  #next(): readonly Waiting[] {
    let rows = 0;
    const isFit = (write: Waiting, at: number): boolean =>
      (rows += write.rows) <= limits.transactionRows || at === 0;
    const end = this.#waiting.findIndex((write, at) => !isFit(write, at));
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #commit(writes: readonly Waiting[]): Promise<void> {
    try {
      await this.#env.requireRoom(writes.reduce((sum, { bytes }) => sum + bytes, 0));
      const settles = await this.#env.transaction(() => writes.map(({ run }) => run(this.#env)));
      for (const settle of settles) settle();
    } catch (error) {
      const failure = failureOf(error);
      for (const { reject } of writes) reject(failure);
    }
  }
}

function failureOf(thrown: unknown): RegisterStoreError {
  if (thrown instanceof RegisterStoreError) return thrown;
  // lmdb leaves the cause in a promise that needs a handler at once, or its rejection ends the process.
  const cause = thrown instanceof Error && "commitError" in thrown ? thrown.commitError : undefined;
  if (cause instanceof Promise) cause.catch(() => {});
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new RegisterStoreError("failed", `the register store cannot be written: ${reason}`, {
    cause: thrown,
  });
}
