import { crc32 } from "node:zlib";
import type { EventLog } from "@ledge/log";
import type { Commit } from "@ledge/model";

/** The commit up to which a log is indexed. `digest` identifies the commit. */
export interface Mark {
  /** ms; 0 before the first commit. */
  readonly timestamp: number;
  readonly digest: number;
}

export const noMark: Mark = { timestamp: 0, digest: 0 };

/** Returns the mark of a commit: the CRC-32 of its sealed events. */
export function markOf({ timestamp, events }: Commit): Mark {
  return { timestamp, digest: crc32(JSON.stringify(events)) };
}

/**
 * Whether a mark belongs to this log. It does not after a restore from a backup, or when the end of the log was
 * cut. Returns false below the horizon, where this can no longer be determined.
 */
export function isMarkOf(log: Pick<EventLog, "last" | "horizon" | "readSealed">, mark: Mark): boolean {
  const { timestamp, digest } = mark;
  if (timestamp === 0) return true;
  if (timestamp <= log.horizon || timestamp > log.last) return false;
  const [commit] = log.readSealed(timestamp - 1, timestamp);
  return commit?.timestamp === timestamp && markOf(commit).digest === digest;
}
