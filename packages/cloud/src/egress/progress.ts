import type { RegisterStore } from "@ledge/fleet";
import { limits } from "@ledge/model";

/**
 * How far a reader has come in an outbox. Moving on does not wait for the disk: the store follows, up to
 * `limits.egressMovesAhead` moves behind. After a crash the reader sees again what the store has not followed.
 */
export class Progress {
  readonly #store: Pick<RegisterStore, "positionOf" | "moveCursor">;
  readonly #reader: string;
  #position: number | undefined;
  #stored = 0;
  /** Moves that the store has not begun to follow. */
  #ahead = 0;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(store: Pick<RegisterStore, "positionOf" | "moveCursor">, reader: string) {
    this.#store = store;
    this.#reader = reader;
  }

  /** Returns the position. @throws what the store fails with, as long as it does */
  async read(): Promise<number> {
    if (this.#failure !== undefined) await this.settled();
    if (this.#position === undefined)
      this.#position = this.#stored = await this.#store.positionOf(this.#reader);
    return this.#position;
  }

  /** Moves on. The position is unknown until the next `read` when another process has moved it meanwhile. */
  async move(to: number): Promise<void> {
    if (this.#position === undefined) return;
    this.#position = to;
    this.#ahead++;
    this.#writing ??= this.#write();
    if (this.#ahead >= limits.egressMovesAhead) await this.settled();
  }

  /** Resolves when the store has followed. @throws what it fails with */
  async settled(): Promise<void> {
    await (this.#writing ??= this.#write());
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #write(): Promise<void> {
    // Moves of the same turn are written together.
    await Promise.resolve();
    try {
      while (this.#position !== undefined && this.#position !== this.#stored) {
        const to = this.#position;
        this.#ahead = 0;
        const isMoved = await this.#store.moveCursor(this.#reader, this.#stored, to);
        this.#stored = to;
        if (!isMoved) this.#position = undefined;
      }
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error as Error;
    } finally {
      this.#writing = undefined;
    }
  }
}
