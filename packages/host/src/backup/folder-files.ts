import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { limits } from "@ledge/model";
import { writeWhole } from "../folder.ts";
import type { BackupFile } from "./format.ts";
import { BackupError } from "./format.ts";

/** What of a data folder beside the log goes into a backup, and how. Whatever is not named counts as a secret. */
export interface FolderLayout {
  /** Files that hold no secret: whose folder it is, and what it is set to. */
  readonly settings: ReadonlySet<string>;
  /** What is of this machine alone: how the process fares, and the key of secrets, which go along without it. */
  readonly local: ReadonlySet<string>;
  /** Folders below the data folder that go along whole. */
  readonly folders: readonly string[];
}

/**
 * What a data folder holds beside the log: every regular file in it and the folders that go along. Half-written files
 * (`.new`) stay behind.
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
  // A process that runs may replace it meanwhile, and wipe what was there.
  return lstatSync(path).ino === ino ? bytes : readWithin(path);
}

/**
 * Gathers the files of a backup that is to be restored.
 * @throws BackupError at one that no backup of such a folder has: keys are no settings, and what is of one machine,
 *   the log, and anything outside of the folder are never files of a backup
 */
export class RestoredFiles {
  readonly #layout: FolderLayout;
  readonly #files = new Map<string, BackupFile>();
  #bytes = 0;

  constructor(layout: FolderLayout) {
    this.#layout = layout;
  }

  /** @param isSealed whether they stood under the passphrase */
  add(files: readonly BackupFile[], isSealed: boolean): void {
    for (const file of files) {
      const { path, base64 } = file;
      if (!(isSealed ? this.#isFile(path) : this.#layout.settings.has(path)))
        throw new BackupError("damaged", `the backup would write ${path}, which is no file of one`);
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

/** Writes files of a backup into a new data folder (0600). @throws BackupError at a path that leads out of it */
export function writeFolder(folder: string, files: readonly BackupFile[]): void {
  for (const { path, base64 } of files) {
    const isInside = /^(?!\/)[^\0]+$/.test(path) && !path.split("/").some((name) => /^\.{0,2}$/.test(name));
    if (!isInside) throw new BackupError("damaged", `a file in the backup would leave its folder: ${path}`);
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeWhole(join(folder, path), Buffer.from(base64, "base64"));
  }
}
