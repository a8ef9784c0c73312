export { type Bus, BusError } from "./bus.ts";
export { listHash, readCursor, signCursor } from "./list/cursor.ts";
export { type FieldError, type Links, linksOf, type ListRequest, parseList, readOn } from "./list/parse.ts";
export { type Filters, listFilters, textFilters } from "./list/matching.ts";
export { comparePositions, compareText, type OrderBy, orders, type Position } from "./list/order.ts";
export { type ListQuery, type Page, plainList } from "./list/query.ts";
export { type LmdbRegisterStoreOptions, openLmdbRegisterStore } from "./lmdb/lmdb-register-store.ts";
export { memoryBus, type MemoryBusOptions } from "./memory-bus.ts";
export { memoryRegisterStore } from "./memory-register-store.ts";
export {
  type Applied,
  type Batch,
  type IdRange,
  type Lease,
  type OutboxEntry,
  type OutboxMessage,
  type Refused,
  type RegisterStore,
  RegisterStoreError,
  type SourceState,
} from "./register-store.ts";
export {
  type AlarmRow,
  type DeviceRouting,
  type DeviceRow,
  type JsonObject,
  keyOf,
  type RegisterDevice,
  type Row,
  type RowKey,
  type RowKind,
} from "./row.ts";
export type { SourceBounds } from "./source-room.ts";
