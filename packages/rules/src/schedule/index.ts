export { type Place, placeOf } from "./place.ts";
export { rangesAt, type RangesState } from "./ranges.ts";
