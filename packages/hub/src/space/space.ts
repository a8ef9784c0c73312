import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Kernel } from "@ledge/kernel";
import { effectiveRoom, NoRoomError } from "@ledge/log";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";

/** The disk, as the hub watches it. */
export interface SpaceOptions {
  /** Returns the free bytes of the file system of a folder, which need not exist yet. */
  readonly free?: (folder: string) => Promise<number>;
  /**
   * Makes room within the log; by default the kernel prunes it. Called before the hub turns read-only, when
   * `limits.reliefBytes` of spare room would help.
   */
  readonly relieve?: () => Promise<unknown>;
}

/** Returns the number of whole mebibytes. */
export function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1_048_576);
}

/** Returns the free bytes for a normal user. For a missing folder it looks at the nearest existing parent. */
export async function freeBytes(folder: string): Promise<number> {
  let present = folder;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  const { bavail, bsize } = await statfs(present);
  return bavail * bsize;
}

/**
 * Protects the hub from a full disk: below a reserve it turns read-only while every write still has room, and
 * it serves again when there is more.
 */
export class SpaceWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #free: (folder: string) => Promise<number>;
  readonly #relieve: (kernel: Kernel) => Promise<unknown>;
  readonly #onFatal: (error: Error) => void;
  #kernel: Kernel | undefined;
  #looking: Promise<number> | undefined;
  #cancel: () => void = () => {};
  #stopped = false;

  /**
   * @param options.folder the data folder
   * @param options.onFatal called when the log's file has disappeared: the folder was moved or removed
   */
  constructor(
    options: SpaceOptions & {
      readonly folder: string;
      readonly clock: Clock;
      readonly logger: Logger;
      readonly onFatal: (error: Error) => void;
    },
  ) {
    const { folder, clock, logger, onFatal, free = freeBytes } = options;
    this.#folder = folder;
    this.#clock = clock;
    this.#logger = logger;
    this.#onFatal = onFatal;
    this.#free = free;
    this.#relieve = options.relieve ?? ((kernel) => kernel.relieve());
  }

  /** Watches the disk for a kernel until `stop`. Resolves after the first check. */
  async watch(kernel: Kernel): Promise<void> {
    this.#kernel = kernel;
    await this.look();
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Checks now, before a large write; false when there is no room for it. */
  async hasRoom(): Promise<boolean> {
    return (await this.look()) >= limits.reserveBytes;
  }

  /** Measures the log's room (bytes) and suspends or resumes the kernel accordingly. */
  look(): Promise<number> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<number> {
    // When the disk cannot be measured, a failing write will show that it is full.
    const free = await this.#free(this.#folder).catch(() => Number.MAX_SAFE_INTEGER);
    const kernel = this.#kernel;
    if (kernel === undefined) return free;
    const roomNow = (): number => effectiveRoom(free, kernel.log.stats().spareBytes);
    const { state } = kernel.health;
    if (state === "serving" && roomNow() < limits.reserveBytes) {
      const canHelp = effectiveRoom(free, limits.reliefBytes) >= limits.reserveBytes;
      if (canHelp) await this.#prune(kernel);
      if (roomNow() < limits.reserveBytes) {
        const [left, needed] = [free, limits.reserveAgainBytes].map(mebibytes);
        const reason = `the disk is full, ${left} MiB are free: changes are taken again when ${needed} MiB are`;
        kernel.suspend(reason);
      }
    }
    if (state === "read-only" && roomNow() >= limits.reserveAgainBytes) kernel.resume();
    return roomNow();
  }

  async #prune(kernel: Kernel): Promise<void> {
    try {
      await this.#relieve(kernel);
    } catch (error) {
      // The change of state that follows already reports the missing room.
      if (!(error instanceof NoRoomError)) this.#logger.error({ error }, "the log could not be pruned");
    }
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#cancel = this.#clock.after(limits.spaceCheckMs, () => {
      this.look().then(
        () => this.#wait(),
        (cause: unknown) => {
          if (!this.#stopped) this.#onFatal(new Error(`the log in ${this.#folder} is gone`, { cause }));
        },
      );
    });
  }
}
