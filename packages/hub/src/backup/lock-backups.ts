import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "@ledge/kernel";
import { ConfigurationLocked, limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import { backupName, backupsFolder, backupsIn, clearFolder, runBackup } from "./own-backups.ts";

export interface LockBackupsOptions {
  readonly kernel: Pick<Kernel, "subscribe" | "log">;
  readonly folder: string;
  readonly logger: Logger;
  /** Free bytes of the disk. */
  readonly free: (folder: string) => Promise<number>;
  /**
   * Writes a backup without secrets, because no person is there to type a passphrase. Default: a `ledge`
   * process.
   */
  readonly make?: (file: string, folder: string) => Promise<void>;
}

/**
 * Makes a backup in the data folder after each commit that locks the configuration. Backups run one after
 * another in the background. Only the newest of several waiting locks gets a backup, so that many locks do not
 * delay the hub's stop. A failed backup is logged, and the hub goes on.
 * @returns a function that ends it
 */
export function backUpWhenLocked(options: LockBackupsOptions): () => void {
  let isMaking = false;
  let waiting: number | undefined;
  const make = async (): Promise<void> => {
    isMaking = true;
    while (waiting !== undefined) {
      const timestamp = waiting;
      waiting = undefined;
      await backUp(options, timestamp);
    }
    isMaking = false;
  };
  const stop = options.kernel.subscribe({
    published: ({ timestamp, events }) => {
      if (!events.some(({ type }) => type === ConfigurationLocked.type)) return;
      waiting = timestamp;
      if (!isMaking) void make();
    },
  });
  return () => {
    stop();
    waiting = undefined;
  };
}

async function backUp(
  { kernel, folder, logger, free, make = ledgeBackup }: LockBackupsOptions,
  timestamp: number,
): Promise<void> {
  try {
    const needed = limits.reserveAgainBytes + kernel.log.stats().usedBytes;
    if ((await free(folder)) < needed) throw new Error("there is too little room on the disk");
    clearFolder(folder, "locked");
    const name = backupName("locked", timestamp);
    await make(join(backupsFolder(folder), name), folder);
    for (const old of backupsIn(folder, "locked").slice(0, -limits.lockBackups))
      rmSync(join(backupsFolder(folder), old), { force: true });
  } catch (error) {
    logger.error(
      { error },
      "there is no backup of the locked configuration: lock it again, or run ledge backup",
    );
  }
}

function ledgeBackup(file: string, folder: string): Promise<void> {
  return runBackup(file, folder, ["--without-secrets"]);
}
