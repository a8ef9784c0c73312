import type { BackupSummary, KeyDerivation } from "./format.ts";
import { backupFormat } from "./format.ts";
import { ProjectionDigest } from "./digest.ts";
import { readFolder } from "./folder-files.ts";
import { deriveKey, newDerivation } from "./seal.ts";
import type { SourceHead, SourceLine } from "./source.ts";
import type { BackupSubject } from "./subject.ts";
import { BackupWriter } from "./writer.ts";

export interface BackupOptions {
  readonly subject: BackupSubject;
  /** The lines of the process's `backupSource`. */
  readonly lines: AsyncIterable<string>;
  /** The data folder of the process. */
  readonly folder: string;
  /** Where to write the backup; an existing file is replaced once the new one is complete. */
  readonly file: string;
  /** Undefined leaves out secrets. */
  readonly passphrase: string | undefined;
  /** The wall clock (ms). */
  readonly now: number;
  /** Stops early and leaves no file. */
  readonly signal: AbortSignal;
}

export interface Made {
  readonly head: SourceHead;
  readonly summary: BackupSummary;
  readonly bytes: number;
  /** The files of the data folder that contain secrets, whether backed up or left out. */
  readonly files: readonly string[];
}

/**
 * Writes a backup.
 * @throws the error of `node:fs` when the file cannot be written, and Error when the source ends early; then
 * no file is left
 */
export async function makeBackup(options: BackupOptions): Promise<Made> {
  const { subject, folder, file, passphrase, now, signal } = options;
  const derivation = passphrase === undefined ? undefined : newDerivation();
  const key = derivation && (await deriveKey(passphrase ?? "", derivation));
  const digest = new ProjectionDigest(subject.declared);
  let begun: { head: SourceHead; writer: BackupWriter; files: readonly string[] } | undefined;
  try {
    for await (const text of options.lines) {
      const line = JSON.parse(text) as SourceLine;
      if (signal.aborted) break;
      if ("head" in line) {
        const { settings, files } = readFolder(folder, subject.layout);
        const writer = new BackupWriter(file, headerOf(line.head, now, derivation), key, subject);
        begun = { head: line.head, writer, files: files.map(({ path }) => path) };
        writer.addFiles(settings, files);
      } else if (begun === undefined) throw new Error("the answer has no beginning");
      else if ("row" in line) digest.add(line.row);
      else if ("commit" in line) begun.writer.addCommit(line.commit);
      else return { ...begun, ...begun.writer.finish(digest.value(), line.end.commits) };
    }
    throw new Error(
      signal.aborted ? "interrupted" : `the answer ended early: see the log of the ${subject.kind}`,
    );
  } catch (error) {
    begun?.writer.abandon();
    throw error;
  }
}

function headerOf(
  { timestamp, horizon, stateFormat, ...self }: SourceHead,
  created: number,
  key: KeyDerivation | undefined,
): ConstructorParameters<typeof BackupWriter>[1] {
  const compacted = horizon > 0 && { horizon };
  return {
    format: backupFormat,
    ...self,
    created,
    timestamp,
    ...compacted,
    stateFormat,
    ...(key && { key }),
  };
}
