import { limits, type StoredRange } from "@ledge/model";
import type { CompiledRange, Edge, RangeState } from "./edge.ts";
import type { Place } from "./place.ts";
import { RuleTimeCrons } from "./rule-time.ts";
import { TimeRangeIntervals } from "./time-range.ts";

/** The active ranges of a list, newest start first, and the next edge of any range. */
export interface RangesState {
  readonly active: readonly { readonly index: number; readonly since: number }[];
  readonly next: number | null;
}

/** An edge of the range at `index`. */
export interface RangeEdge extends Edge {
  readonly index: number;
}

const compiled = new WeakMap<StoredRange, CompiledRange>();

/**
 * Compiles a range; the same object gives the same result.
 * @param range one that `rangesProblem` accepts
 */
export function compileRange(range: StoredRange): CompiledRange {
  const known = compiled.get(range);
  if (known !== undefined) return known;
  const made = range.type === "TIME_RANGE" ? new TimeRangeIntervals(range) : new RuleTimeCrons(range);
  const answers = new Remembering(made);
  compiled.set(range, answers);
  return answers;
}

/**
 * Returns the state of ranges at an instant. Nothing changes before `next`, so callers ask once per edge, and
 * when the ranges, the clock or the place change. `next` is null when no edge comes within a year.
 * @param at ms since the epoch
 * @param place the same object while the place stays the same
 */
export function rangesAt(ranges: readonly StoredRange[], at: number, place: Place): RangesState {
  const active: { index: number; since: number }[] = [];
  let next: number | null = null;
  for (const [index, range] of ranges.entries()) {
    const state = compileRange(range).stateAt(at, place);
    if (state.since !== null) active.push({ index, since: state.since });
    if (state.next !== null && (next === null || state.next < next)) next = state.next;
  }
  active.sort((a, b) => b.since - a.since || a.index - b.index);
  return { active, next };
}

/**
 * Returns the edges after `from` up to and including `to`, oldest first, to catch up with. When there are
 * more than `limits.scheduleEdges`, it returns the newest, and `complete` is false.
 */
export function edges(
  ranges: readonly StoredRange[],
  from: number,
  to: number,
  place: Place,
): { readonly edges: readonly RangeEdge[]; readonly complete: boolean } {
  const found: RangeEdge[] = [];
  let complete = true;
  for (const [index, range] of ranges.entries()) {
    const answers = compileRange(range);
    let edge = answers.edgeBefore(to, place);
    for (let count = 0; edge !== null && edge.at > from; count++) {
      if (count === limits.scheduleEdges) {
        complete = false;
        break;
      }
      found.push({ ...edge, index });
      edge = answers.edgeBefore(edge.at - 1, place);
    }
  }
  found.sort((a, b) => a.at - b.at || a.index - b.index);
  const newest = found.slice(-limits.scheduleEdges);
  return { edges: newest, complete: complete && newest.length === found.length };
}

/**
 * Caches the last answer until its next edge, so that among many ranges only the one at its edge is computed
 * again.
 */
class Remembering implements CompiledRange {
  readonly #range: CompiledRange;
  #last: { readonly from: number; readonly place: Place; readonly state: RangeState } | undefined;

  constructor(range: CompiledRange) {
    this.#range = range;
  }

  stateAt(at: number, place: Place): RangeState {
    const last = this.#last;
    if (last !== undefined && last.place === place && last.from <= at) {
      if (last.state.next !== null && at < last.state.next) return last.state;
    }
    const state = this.#range.stateAt(at, place);
    this.#last = { from: at, place, state };
    return state;
  }

  edgeBefore(at: number, place: Place): Edge | null {
    return this.#range.edgeBefore(at, place);
  }
}
