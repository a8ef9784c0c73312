import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files of the library: caches, written anew from the store before it starts. */
export class LibraryFiles {
  readonly #folder: string;
  readonly database: string;
  readonly databaseBackup: string;
  readonly backup: string;

  /** @param folder which is made when it is not there. */
  constructor(folder: string) {
    this.#folder = folder;
    this.database = join(folder, "database.db");
    this.databaseBackup = join(folder, "database.before-reset.db");
    this.backup = join(folder, "coordinator-backup.json");
  }

  /** Puts what the store has in the place of what is there. @param backup undefined: there is to be none. */
  write(database: string, backup: string | undefined): void {
    this.makeFolder();
    for (const file of [this.backup, this.databaseBackup]) rmSync(file, { force: true });
    if (backup !== undefined) writeFileSync(this.backup, backup, { mode: 0o600 });
    writeFileSync(this.database, database, { mode: 0o600 });
  }

  /** The library's writes fail without it. */
  makeFolder(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Undefined: it is not there. */
  readDatabase(): string | undefined {
    return existsSync(this.database) ? readFileSync(this.database, "utf8") : undefined;
  }

  /** @throws when it is not there, or is no JSON */
  readBackup(): string {
    return JSON.stringify(JSON.parse(readFileSync(this.backup, "utf8")));
  }
}
