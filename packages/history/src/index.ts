export { attributesOf, isKept } from "./collect.ts";
export { type HistoryErrorCode, HistoryError } from "./error.ts";
export { type Chunk, HistoryIndex, openHistoryIndex } from "./history-index.ts";
export { indexLog, type IndexOptions, type Progress } from "./index-log.ts";
export { indexFormat } from "./index-writer.ts";
export { isMarkOf, type Mark } from "./mark.ts";
export type { Head } from "./chunk.ts";
export { isNumeric, type Sample } from "./sample.ts";
export { overview, type Overview, type Series, type Span } from "./overview.ts";
