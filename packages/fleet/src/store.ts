// What implementations of a register store share: the rules of its contract, without a database.
export { KeySet, refusalOf, sourceAfter, stateOf, type StoredSource } from "./batches.ts";
export { requireKeyTexts } from "./key-texts.ts";
export { released, type StoredLease, taken } from "./leases.ts";
export { type Facets, facet, facetsOf, facetValues } from "./list/facets.ts";
export { orderedText } from "./list/order.ts";
export { OncePerKey } from "./once-per-key.ts";
export { decodeRow, encodeRow, succeed } from "./row-record.ts";
export { SourceRoom } from "./source-room.ts";
