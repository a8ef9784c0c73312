import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Kernel } from "@ledge/kernel";
import { effectiveRoom, NoRoomError } from "@ledge/log";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";

/** The disk, as the hub watches it. */
export interface SpaceOptions {
  /** Free bytes of the file system that a folder is on, or will be. */
  readonly free?: (folder: string) => Promise<number>;
  /**
   * Makes room within the log; by default the kernel prunes it. Asked before the hub goes read-only, if so much as
   * `limits.reliefBytes` of spare room would do.
   */
  readonly relieve?: () => Promise<unknown>;
}

/** How many whole mebibytes. */
export function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1_048_576);
}

/** Free bytes for a user without privileges; of a folder that is not there yet, those of the one that it will be in. */
export async function freeBytes(folder: string): Promise<number> {
  let present = folder;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  const { bavail, bsize } = await statfs(present);
  return bavail * bsize;
}

/**
 * Keeps the hub from ever meeting a full disk: below a reserve it goes read-only while every write still has
 * room, and serves again when there is more.
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
   * @param options.onFatal told when the log's file cannot be looked at any more: the folder was moved or removed.
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

  /** Watches on behalf of a kernel, until `stop`. Resolves after a first look. */
  async watch(kernel: Kernel): Promise<void> {
    this.#kernel = kernel;
    await this.look();
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Looks now, before a large write: false when there is no room for it. */
  async hasRoom(): Promise<boolean> {
    return (await this.look()) >= limits.reserveBytes;
  }

  /** Looks how much room the log has (bytes) and lets the kernel stop or go on accordingly. */
  look(): Promise<number> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<number> {
    // Where that cannot be told, a write that fails will tell.
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
      // That there is no room for it either is told with the state that follows.
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
