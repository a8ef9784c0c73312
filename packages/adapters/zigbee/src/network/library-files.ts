import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The library's files: caches, rewritten from the store before the library starts. */
export class LibraryFiles {
  readonly #folder: string;
  readonly database: string;
  readonly databaseBackup: string;
  readonly backup: string;

  /** @param folder created when missing. */
  constructor(folder: string) {
    this.#folder = folder;
    this.database = join(folder, "database.db");
    this.databaseBackup = join(folder, "database.before-reset.db");
    this.backup = join(folder, "coordinator-backup.json");
  }

  /**
   * Replaces the files.
   * @param backup undefined: remove the backup file
   */
  write(database: string, backup: string | undefined): void {
    this.makeFolder();
    for (const file of [this.backup, this.databaseBackup]) rmSync(file, { force: true });
    if (backup !== undefined) writeFileSync(this.backup, backup, { mode: 0o600 });
    writeFileSync(this.database, database, { mode: 0o600 });
  }

  /** The library's writes fail without the folder. */
  makeFolder(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Returns undefined when the file is missing. */
  readDatabase(): string | undefined {
    return existsSync(this.database) ? readFileSync(this.database, "utf8") : undefined;
  }

  /** @throws when the file is missing or not JSON */
  readBackup(): string {
    return JSON.stringify(JSON.parse(readFileSync(this.backup, "utf8")));
  }
}
