// What kinds of logs outside this package are made of.
export { type Block, blockOf, type BlockStore } from "./block.ts";
export { BlockLog } from "./block-log.ts";
export { decodeCompaction, encodeCompaction } from "./compaction.ts";
export { type Change, type Disk, MirroredStore } from "./mirrored-store.ts";
