export type { CompiledRange, Edge, RangeState } from "./edge.ts";
export { type Place, placeOf } from "./place.ts";
export { compileRange, type RangeEdge, edges, rangesAt, type RangesState } from "./ranges.ts";
