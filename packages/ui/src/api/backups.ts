// Backups of the hub, and its restart.
import { type Answer, call } from "./call.ts";

/** BACKUP */
export interface Backup {
  readonly name: string;
  /** ms since the epoch */
  readonly at: number;
  readonly bytes: number;
  /** Sealed with a passphrase; else they are left out. */
  readonly hasSecrets: boolean;
}

/** A large home takes its time. */
const backupMs = 600_000;

export function backups(signal: AbortSignal): Promise<Answer<readonly Backup[]>> {
  return call("/hub/backups", { signal });
}

export function makeBackup(passphrase: string): Promise<Answer<Backup>> {
  return call("/hub/backup", { method: "POST", body: { passphrase }, timeoutMs: backupMs });
}

/** The file of a backup. */
export function backupFile(name: string): Promise<Answer<Blob>> {
  return call("/hub/backup", { query: { name }, isFile: true, timeoutMs: backupMs });
}

/** Has the hub end and start again. */
export function restart(): Promise<Answer<true>> {
  return call("/hub/restart");
}
