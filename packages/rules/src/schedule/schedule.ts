import type { Range } from "@ledge/model";
import type { Place } from "./place.ts";
export interface ActiveRange {
  readonly index: number;
  readonly since: number;
}
export function rangesAt(
  _ranges: readonly Range[],
  _at: number,
  _place: Place,
): { active: readonly ActiveRange[]; next: number | null } {
  return { active: [], next: null };
}
