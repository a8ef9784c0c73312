import type { EventLog, Snapshot } from "@ledge/log";
import type { Declared, Upcasters } from "@ledge/model";
import type { FolderLayout } from "./folder-files.ts";
import type { BackupHeader } from "./format.ts";

/** Whose log a backup is of, and what has to be known of it. */
export interface BackupSubject {
  /** As people call it. */
  readonly kind: "hub" | "cloud";
  readonly declared: Declared;
  readonly upcasters: Upcasters;
  /** Whether a backup without its secrets would be of no use. */
  readonly needsSecrets: boolean;
  /** What is to be said once one was restored. */
  readonly restored: string;
  /** Type of the event after which no earlier poll cursor counts; null where nobody polls. */
  readonly epochEvent: string | null;
  /** Types of the events by which somebody's key is destroyed, and by which somebody gets one. */
  readonly forgetting: { readonly forgotten: string; readonly added: string };
  readonly layout: FolderLayout;
  /**
   * Why a log that holds nothing must not be begun anew; undefined when it may.
   * @param last the newest timestamp of what can be read of the log (ms), 0 for nothing
   */
  goneLog(folder: string, last: number): string | undefined;
  /** The projections that a log leads to. @throws LogError, EvolveError */
  replay(log: EventLog): Snapshot;
  /** What is wrong with the files of a folder that was made of a backup; undefined when nothing is. */
  problemIn(folder: string, header: BackupHeader): string | undefined;
  /**
   * Makes a restored log fit to go on: it has forgotten what came after the backup, others have not.
   * @returns the timestamp (ms) from which on it goes on
   */
  resume(folder: string, since: Since): Promise<number>;
}

/** What is known of the time between a backup and its restore. */
export interface Since {
  /** Why the log goes on elsewhere. */
  readonly reason: string;
  /** The log goes on above this timestamp (ms). */
  readonly above: number;
  /** Ids of those who were forgotten; those who cannot be, such as an owner, are passed over. */
  readonly forgotten: readonly string[];
}
