import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { limits } from "@ledge/model";
import { writeWhole } from "../folder.ts";
import type { BackupFile } from "./format.ts";
import { BackupError } from "./format.ts";

/** What a backup takes of a data folder besides the log. Files that are not named here count as secrets. */
export interface FolderLayout {
  /** Files without secrets: the identity of the folder, and its settings. */
  readonly settings: ReadonlySet<string>;
  /**
   * Files of this machine only: the state of the process, and the key of secrets, whose contents are backed
   * up without it.
   */
  readonly local: ReadonlySet<string>;
  /** Folders below the data folder that are backed up whole. */
  readonly folders: readonly string[];
}

/**
 * Reads what a data folder has besides the log: all its regular files, and the folders to back up.
 * Half-written files (`.new`) are left out.
 */
export function readFolder(
  folder: string,
  { settings, local, folders }: FolderLayout,
): { settings: BackupFile[]; files: BackupFile[] } {
  const paths = [
    ...filesIn(folder, "").filter((name) => !local.has(name)),
    ...folders.flatMap((name) => (existsSync(join(folder, name)) ? filesBelow(folder, name) : [])),
  ].toSorted();
  const read = paths.map((path) => ({ path, base64: readWithin(join(folder, path)).toString("base64") }));
  const bytes = read.reduce((sum, { base64 }) => sum + Buffer.byteLength(base64, "base64"), 0);
  if (read.length > limits.backupFiles || bytes > limits.backupFilesBytes)
    throw new Error(`${folder} has more files than a backup takes: ${read.length}, with ${bytes} bytes`);
  return {
    settings: read.filter(({ path }) => settings.has(path)),
    files: read.filter(({ path }) => !settings.has(path)),
  };
}

function filesIn(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".new"))
    .map(({ name }) => posix.join(below, name));
}

function filesBelow(folder: string, below: string): string[] {
  const inner = readdirSync(join(folder, below), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => filesBelow(folder, posix.join(below, name)));
  return [...filesIn(folder, below), ...inner];
}

function readWithin(path: string): Buffer {
  const { size, ino } = lstatSync(path);
  if (size > limits.backupFileBytes)
    throw new Error(`${path} has ${size} bytes, a file in a backup at most ${limits.backupFileBytes}`);
  const bytes = readFileSync(path);
  // A running process may replace the file meanwhile and wipe the old one.
  return lstatSync(path).ino === ino ? bytes : readWithin(path);
}

/**
 * Collects the files of a backup for a restore.
 * @throws BackupError for a file that no backup of such a folder has: keys among the settings, files of one
 * machine, the log, and anything outside the folder
 */
export class RestoredFiles {
  readonly #layout: FolderLayout;
  readonly #files = new Map<string, BackupFile>();
  #bytes = 0;

  constructor(layout: FolderLayout) {
    this.#layout = layout;
  }

  /** @param isSealed whether they were sealed with the passphrase */
  add(files: readonly BackupFile[], isSealed: boolean): void {
    for (const file of files) {
      const { path, base64 } = file;
      if (!(isSealed ? this.#isFile(path) : this.#layout.settings.has(path)))
        throw new BackupError("damaged", `the backup would write ${path}, which a backup never has`);
      if (this.#files.has(path)) throw new BackupError("damaged", `the backup has ${path} twice`);
      this.#files.set(path, file);
      this.#bytes += Buffer.byteLength(base64, "base64");
      if (this.#files.size > limits.backupFiles || this.#bytes > limits.backupFilesBytes)
        throw new BackupError("damaged", "the backup has more files than one can have");
    }
  }

  get all(): readonly BackupFile[] {
    return [...this.#files.values()];
  }

  #isFile(path: string): boolean {
    const { local, settings, folders } = this.#layout;
    const [first = "", ...rest] = path.split("/");
    if (rest.length > 0) return folders.includes(first);
    return ![...local, ...settings, ...folders, "log"].includes(path) && !/\.(?:new|sock)$/.test(path);
  }
}

/**
 * Writes the files of a backup into a new data folder (0600).
 * @throws BackupError for a path that leaves the folder
 */
export function writeFolder(folder: string, files: readonly BackupFile[]): void {
  for (const { path, base64 } of files) {
    const isInside = /^(?!\/)[^\0]+$/.test(path) && !path.split("/").some((name) => /^\.{0,2}$/.test(name));
    if (!isInside) throw new BackupError("damaged", `a file of the backup is outside its folder: ${path}`);
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeWhole(join(folder, path), Buffer.from(base64, "base64"));
  }
}
