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

/** Writes files of a backup into a new data folder (0600). @throws BackupError at a path that leads out of it */
export function writeFolder(folder: string, files: readonly BackupFile[]): void {
  for (const { path, base64 } of files) {
    const isInside = /^(?!\/)[^\0]+$/.test(path) && !path.split("/").some((name) => /^\.{0,2}$/.test(name));
    if (!isInside) throw new BackupError("damaged", `a file in the backup would leave its folder: ${path}`);
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeWhole(join(folder, path), Buffer.from(base64, "base64"));
  }
}
