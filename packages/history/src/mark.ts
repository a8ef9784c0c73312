import { crc32 } from "node:zlib";
import type { EventLog } from "@ledge/log";
import type { Commit } from "@ledge/model";

/** Up to which commit a log is indexed; `digest` says which one that was. */
export interface Mark {
  /** ms; 0 for nothing. */
  readonly timestamp: number;
  readonly digest: number;
}

export const noMark: Mark = { timestamp: 0, digest: 0 };

/** The mark of a commit: CRC-32 of its events as the log gives them, sealed. */
export function markOf({ timestamp, events }: Commit): Mark {
  return { timestamp, digest: crc32(JSON.stringify(events)) };
}

/**
 * Whether what was indexed up to a mark is of this log: not of one that was since restored from a backup, or whose end
 * was cut. Below the horizon that can no longer be told.
 */
export function isMarkOf(log: Pick<EventLog, "last" | "horizon" | "readSealed">, mark: Mark): boolean {
  const { timestamp, digest } = mark;
  if (timestamp === 0) return true;
  if (timestamp <= log.horizon || timestamp > log.last) return false;
  const [commit] = log.readSealed(timestamp - 1, timestamp);
  return commit?.timestamp === timestamp && markOf(commit).digest === digest;
}
