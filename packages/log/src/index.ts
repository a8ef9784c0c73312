export {
  type Base,
  type Compacted,
  type CompactOptions,
  type EventLog,
  LogError,
  type LogErrorCode,
  type LogStats,
  type Snapshot,
  type Verification,
} from "./event-log.ts";
export { openLmdbLog } from "./lmdb-log.ts";
export { type MemoryLog, type MemoryLogOptions, memoryLog } from "./memory-log.ts";
export type { BlockLog } from "./block-log.ts";
export type { Recovery } from "./tail.ts";
