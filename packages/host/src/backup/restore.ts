import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EvolveError } from "@ledge/kernel";
import { LogError } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { holdFolder } from "../lock.ts";
import { PersonalKeys } from "../personal/keys.ts";
import { emptyFreshFolder, finishReplacement, freshFolder, replaceFolder } from "../replace-folder.ts";
import { sealingOf } from "../sealed-fields.ts";
import { SecretKeys } from "../secrets/keys.ts";
import { sealedCommits, secretFields } from "../secrets/sealing.ts";
import { digestOf } from "./digest.ts";
import { RestoredFiles, writeFolder } from "./folder-files.ts";
import type { BackupHeader, BackupSummary } from "./format.ts";
import { BackupError } from "./format.ts";
import { readBackup, verifyBackup } from "./reader.ts";
import { commitCheck, forgottenIn, lastIn, proveLog, writeLog } from "./rebuild.ts";
import { deriveKey } from "./seal.ts";
import type { BackupSubject } from "./subject.ts";

export interface RestoreOptions {
  readonly subject: BackupSubject;
  readonly file: string;
  readonly folder: string;
  /** Undefined leaves out what is sealed. */
  readonly passphrase: string | undefined;
  /** Moves a folder that is not empty aside, instead of refusing it. */
  readonly force: boolean;
  /** The wall clock (ms). */
  readonly now: number;
}

export interface Restored {
  readonly header: BackupHeader;
  readonly summary: BackupSummary;
  /** The timestamp (ms) from which the log continues; older cursors no longer count. */
  readonly epoch: number;
  /** Where the folder that was replaced is now. */
  readonly aside: string | undefined;
  readonly secrets: "restored" | "left-out" | "none";
  /** False when another release made the backup, as its states may differ from this release's. */
  readonly compared: boolean;
}

/** The folder is not empty; nothing was touched. */
export class FolderTakenError extends Error {
  override readonly name = "FolderTakenError";
}

/**
 * Restores a backup into a data folder. It verifies the whole backup first, builds the new folder beside the
 * old one and replays it; only a proven folder replaces the old one.
 * @throws BackupError, FolderTakenError, LockedError, LogError; the folder is then unchanged
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { subject, file, folder, passphrase, force } = options;
  const { header, damage } = verifyBackup(file);
  if (damage !== undefined || header === undefined)
    throw new BackupError("damaged", damage?.problem ?? `${file} has no header`);
  if ((header.hubId === undefined ? "cloud" : "hub") !== subject.kind)
    throw new BackupError("foreign", `${file} is not a backup of a ${subject.kind}`);
  const key = await keyFor(header, passphrase);
  if (key !== undefined) tryKey(file, key);

  finishReplacement(folder);
  const isTaken = existsSync(folder) && readdirSync(folder).length > 0;
  if (isTaken && !force)
    throw new FolderTakenError(`${folder} is not empty: --force sets it aside under another name`);
  const release = existsSync(folder) ? await holdFolder(folder) : () => {};
  try {
    mkdirSync(freshFolder(folder), { recursive: true, mode: 0o700 });
    const releaseFresh = await holdFolder(freshFolder(folder));
    try {
      emptyFreshFolder(folder);
      // People forgotten since the backup was made stay forgotten.
      const { forgotten, damage: unknown } = new PersonalKeys(folder);
      const forgottenUsers = unknown === undefined ? [] : forgottenIn(folder, subject);
      const above = Math.max(isTaken ? lastIn(folder) : 0, header.timestamp);
      const built = await build(options, key, { above, forgotten, forgottenUsers }).catch(
        (error: unknown) => {
          throw asDamage(error, file);
        },
      );
      const aside = `${folder}.replaced-${new Date(options.now).toISOString().replaceAll(/[:.]/g, "-")}`;
      const isKept = replaceFolder(folder, aside);
      const left = header.key === undefined ? "none" : "left-out";
      const secrets = key === undefined ? left : "restored";
      return { header, ...built, aside: isKept ? aside : undefined, secrets };
    } catch (error) {
      rmSync(freshFolder(folder), { recursive: true, force: true });
      throw error;
    } finally {
      releaseFresh();
    }
  } finally {
    release();
  }
}

/** Turns errors caused by the backup's contents into damage; other errors stay as they are. */
function asDamage(error: unknown, file: string): unknown {
  const isOfContent =
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof EvolveError ||
    (error instanceof LogError && error.code === "damaged");
  if (!isOfContent || "syscall" in error) return error;
  return new BackupError("damaged", `${file} cannot be restored: ${error.message}`, { cause: error });
}

async function keyFor(header: BackupHeader, passphrase: string | undefined): Promise<Buffer | undefined> {
  if (passphrase === undefined || header.key === undefined) return undefined;
  return deriveKey(passphrase, header.key);
}

/** @throws BackupError `passphrase` */
function tryKey(file: string, key: Buffer): void {
  for (const part of readBackup(file, key)) if ("files" in part) return;
}

/** What is known about the time since the backup. */
interface Known {
  /** The new epoch must be later than this timestamp (ms). */
  readonly above: number;
  /** Fingerprints of the keys of forgotten people. */
  readonly forgotten: readonly string[];
  /** Ids of forgotten people whose keys are unknown. */
  readonly forgottenUsers: readonly string[];
}

async function build(
  options: RestoreOptions,
  key: Buffer | undefined,
  { above, forgotten, forgottenUsers }: Known,
): Promise<Pick<Restored, "summary" | "epoch" | "compared">> {
  const { subject, file, folder } = options;
  const fresh = freshFolder(folder);
  const found: Found = { files: new RestoredFiles(subject.layout) };
  const sealed = sealedCommits(
    commitsOf(options, key, found),
    sealingOf(secretFields(new SecretKeys(fresh), subject.declared)),
  );
  await writeLog(fresh, sealed, () => found.header?.horizon ?? 0);
  const { header, summary, files } = found;
  if (header === undefined || summary === undefined) throw new BackupError("damaged", `${file} has changed`);
  const { commits, state } = await proveLog(fresh, subject);
  const compared = state.format === header.stateFormat;
  if (commits !== summary.commits || (compared && digestOf(state.rows, subject.declared) !== summary.digest))
    throw new BackupError(
      "damaged",
      `the states restored from ${file} differ from those that were backed up`,
    );
  writeFolder(fresh, files.all);
  const keys = new PersonalKeys(fresh);
  const users = [...new Set([...keys.destroyAll(forgotten), ...forgottenUsers])];
  keys.destroy(forgottenUsers);
  const problem = subject.problemIn(fresh, header);
  if (problem !== undefined) throw new BackupError("damaged", `${file} ${problem}`);
  const reason = `restored from a backup as of ${header.timestamp}`;
  const epoch = await subject.resume(fresh, { reason, above, forgotten: users });
  rmSync(join(fresh, "log", "lock.mdb"), { force: true });
  return { summary, epoch, compared };
}

/** The parts of a backup other than commits. */
interface Found {
  readonly files: RestoredFiles;
  header?: BackupHeader;
  summary?: BackupSummary;
}

function* commitsOf(
  { subject, file }: RestoreOptions,
  key: Buffer | undefined,
  found: Found,
): Generator<Commit> {
  const check = commitCheck(subject);
  for (const part of readBackup(file, key)) {
    if ("commits" in part) {
      for (const commit of part.commits) {
        check(commit);
        yield commit;
      }
    } else if ("header" in part) found.header = part.header;
    else if ("end" in part) found.summary = part.end;
    else if ("files" in part) found.files.add(part.files, true);
    else found.files.add(part.settings, false);
  }
}
