import type { EventLog, Snapshot } from "@ledge/log";
import type { Declared, Upcasters } from "@ledge/model";
import type { FolderLayout } from "./folder-files.ts";
import type { BackupHeader } from "./format.ts";

/** The kind of process that a backup is of, with what backups need to know about it. */
export interface BackupSubject {
  /** Its name for people. */
  readonly kind: "hub" | "cloud";
  readonly declared: Declared;
  readonly upcasters: Upcasters;
  /** Whether a backup without its secrets would be useless. */
  readonly needsSecrets: boolean;
  /** What to tell the user after a restore. */
  readonly restored: string;
  /** The type of the event after which older poll cursors are void; null without polls. */
  readonly epochEvent: string | null;
  /** The types of the events that destroy somebody's key, and that give somebody a new one. */
  readonly forgetting: { readonly forgotten: string; readonly added: string };
  readonly layout: FolderLayout;
  /**
   * Returns why an empty log must not be started anew; undefined when it may.
   * @param last the newest readable timestamp of the log (ms), 0 for none
   */
  goneLog(folder: string, last: number): string | undefined;
  /**
   * Returns the projections of a log.
   * @throws LogError, EvolveError
   */
  replay(log: EventLog): Snapshot;
  /** Returns what is wrong with the files of a restored folder; undefined when nothing is. */
  problemIn(folder: string, header: BackupHeader): string | undefined;
  /**
   * Prepares a restored log for use: it lacks what came after the backup, which others still know.
   * @returns the timestamp (ms) from which it continues
   */
  resume(folder: string, since: Since): Promise<number>;
}

/** What is known about the time between a backup and its restore. */
export interface Since {
  /** Why the log continues differently. */
  readonly reason: string;
  /** The log continues above this timestamp (ms). */
  readonly above: number;
  /** The ids of forgotten people; those who cannot be forgotten, such as an owner, are skipped. */
  readonly forgotten: readonly string[];
}
