import { createReadStream, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type BackupFile, type Backups, Refused } from "@ledge/api";
import { readHeader } from "@ledge/host/backup/reader";
import type { Logger } from "@ledge/host/logger";
import type { Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { freeBytes } from "../space/space.ts";
import { backupName, backupsFolder, backupsIn, clearFolder, runBackup } from "./own-backups.ts";

export interface AskedBackupsOptions {
  readonly kernel: Pick<Kernel, "log" | "health" | "now">;
  readonly folder: string;
  readonly logger: Logger;
}

/** Backups in the data folder, which people ask for over the API. One is made at a time. */
export class AskedBackups implements Backups {
  readonly #options: AskedBackupsOptions;
  #isMaking = false;

  constructor(options: AskedBackupsOptions) {
    this.#options = options;
  }

  list(): readonly BackupFile[] {
    const { folder } = this.#options;
    const all = backupsIn(folder).flatMap((name) => this.#shown(name) ?? []);
    return all.toSorted((a, b) => b.at - a.at);
  }

  async make(passphrase: string): Promise<BackupFile | Refused> {
    const { kernel, folder, logger } = this.#options;
    const { state, reason } = kernel.health;
    if (state === "rescue") return new Refused(422, `only a part of the log can be read: ${reason ?? state}`);
    if (this.#isMaking) return new Refused(429, "a backup is being made", [], limits.backupAgainS);
    this.#isMaking = true;
    try {
      const needed = limits.reserveAgainBytes + kernel.log.stats().usedBytes;
      if ((await freeBytes(folder)) < needed) return new Refused(507, "there is too little room on the disk");
      clearFolder(folder, "asked");
      const name = backupName("asked", kernel.now());
      await runBackup(join(backupsFolder(folder), name), folder, ["--passphrase-file", "-"], passphrase);
      for (const old of backupsIn(folder, "asked").slice(0, -limits.askedBackups))
        rmSync(join(backupsFolder(folder), old), { force: true });
      return this.#shown(name) ?? new Refused(503, "the backup is gone");
    } catch (error) {
      logger.error({ error }, "a backup that somebody asked for could not be made");
      return new Refused(503, "the backup could not be made: the hub's log says why");
    } finally {
      this.#isMaking = false;
    }
  }

  read(name: string): ReadableStream<Uint8Array> | undefined {
    const { folder } = this.#options;
    if (!backupsIn(folder).includes(name)) return undefined;
    return Readable.toWeb(createReadStream(join(backupsFolder(folder), name))) as ReadableStream<Uint8Array>;
  }

  /** Undefined for a file that is damaged, or has gone meanwhile. */
  #shown(name: string): BackupFile | undefined {
    const file = join(backupsFolder(this.#options.folder), name);
    try {
      const { created, release, key } = readHeader(file);
      return { name, at: created, bytes: statSync(file).size, release, hasSecrets: key !== undefined };
    } catch {
      return undefined;
    }
  }
}
