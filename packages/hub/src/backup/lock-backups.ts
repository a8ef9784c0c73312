import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Kernel } from "@ledge/kernel";
import { ConfigurationLocked, limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { adapterEnvironment } from "../adapters/environment.ts";
import type { Logger } from "@ledge/host/logger";

const ledge = import.meta.url.endsWith(".ts")
  ? new URL("../cli.ts", import.meta.url)
  : new URL("./ledge.mjs", import.meta.url);

/** Returns the folder within a data folder for backups that the hub makes by itself (0700, files 0600). */
export function backupsFolder(folder: string): string {
  return join(folder, "backups");
}

/** Lists the complete backups that the hub has made by itself, oldest first. */
export function backupsIn(folder: string): string[] {
  try {
    return readdirSync(backupsFolder(folder))
      .filter((name) => name.endsWith(".ledge"))
      .toSorted();
  } catch {
    return [];
  }
}

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
    mkdirSync(backupsFolder(folder), { recursive: true, mode: 0o700 });
    // A power cut may have left parts of a backup behind.
    for (const part of readdirSync(backupsFolder(folder)))
      if (!part.endsWith(".ledge")) rmSync(join(backupsFolder(folder), part));
    const name = `locked-${new Date(timestamp).toISOString().replaceAll(/[:.]/g, "-")}.ledge`;
    await make(join(backupsFolder(folder), name), folder);
    for (const old of backupsIn(folder).slice(0, -limits.lockBackups))
      rmSync(join(backupsFolder(folder), old), { force: true });
  } catch (error) {
    logger.error(
      { error },
      "there is no backup of the locked configuration: lock it again, or run ledge backup",
    );
  }
}

function ledgeBackup(file: string, folder: string): Promise<void> {
  const args = [fileURLToPath(ledge), "backup", file, "--without-secrets", "--force", "--data", folder];
  const child = spawn(...tied(process.execPath, args), {
    env: adapterEnvironment(process.env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on(
    "data",
    (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-limits.programOutputChars)),
  );
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`ledge backup ended with ${code}: ${said.trim()}`));
    });
  });
}
