export {
  type Base,
  type Compacted,
  type CompactOptions,
  type EventLog,
  LogError,
  type LogErrorCode,
  type LogStats,
  NoRoomError,
  type Snapshot,
  type Verification,
  type Wants,
} from "./event-log.ts";
export { openLmdbLog } from "./lmdb-log.ts";
export { type MemoryLog, type MemoryLogOptions, memoryLog } from "./memory-log.ts";
export type { BlockLog } from "./block-log.ts";
export type { Sealing } from "./sealing.ts";
export { type UpcastEvents, upcastWith } from "./upcast.ts";
export { checkFile } from "./check-file.ts";
export { flushFolder } from "./lmdb-file.ts";
export { effectiveRoom } from "./write-failure.ts";
export { salvageSnapshots } from "./salvage/snapshots.ts";
export { type Salvage, salvage } from "./salvage/salvage.ts";
export type { MissingSpan } from "./salvage/search.ts";
export type { Recovery } from "./block.ts";
export { frameFormat } from "./frame.ts";
export { journalFormat } from "./journal/frame.ts";
