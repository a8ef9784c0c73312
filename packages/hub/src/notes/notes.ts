import type { Clock, Kernel } from "@ledge/kernel";
import { KernelError } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";

/**
 * Submits the hub's notes about itself to the kernel. Notes that cannot be stored now, because the disk is full
 * or the queue too long, are kept in order and stored later. Beyond `limits.notesKept` the oldest is dropped.
 */
export class Notes {
  readonly #kernel: Pick<Kernel, "submit">;
  readonly #clock: Pick<Clock, "after">;
  readonly #logger: Logger;
  #kept: Command[] = [];
  #cancelRetry: (() => void) | undefined;

  constructor(kernel: Pick<Kernel, "submit">, clock: Pick<Clock, "after">, logger: Logger) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The number of notes that wait to be stored. */
  get waiting(): number {
    return this.#kept.length;
  }

  /** Resolves when the note is stored, kept for later, or dropped; never rejects. */
  async note(...commands: readonly Command[]): Promise<void> {
    if (this.#kept.length > 0) this.#keep(commands);
    else await this.#store(commands);
  }

  /** Drops all notes that are not stored yet. */
  stop(): void {
    this.#cancelRetry?.();
    this.#kept = [];
  }

  async #store(commands: readonly Command[]): Promise<void> {
    try {
      // Each note is separate: one that no longer fits the state must not lose the others.
      await this.#kernel.submit({ commands, origin: "system", each: true });
    } catch (error) {
      if (isPassing(error)) this.#keep(commands);
      else
        this.#logger.error(
          { error, commands: commands.map(({ type }) => type) },
          "notes of the hub could not be stored",
        );
    }
  }

  #keep(commands: readonly Command[]): void {
    this.#kept.push(...commands);
    const beyond = this.#kept.length - limits.notesKept;
    if (beyond > 0) {
      this.#kept.splice(0, beyond);
      this.#logger.error({ lost: beyond }, "too many notes wait to be stored: the oldest were dropped");
    }
    this.#cancelRetry ??= this.#clock.after(limits.noteRetryMs, () => {
      this.#cancelRetry = undefined;
      void this.#store(this.#kept.splice(0));
    });
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof KernelError && (error.code === "read-only" || error.code === "busy");
}
