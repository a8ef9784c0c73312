export { type Place, placeOf } from "./place.ts";
export { edges, rangesAt, type RangesState } from "./ranges.ts";
