import type { Chart, StateNode } from "../chart.ts";
import type { Template } from "../template.ts";
import type { Kept } from "./names.ts";

/**
 * Whether a machine that stands somewhere can go on as one of another version: each state that it stands in is there
 * and waits for the same times, so that none of its timers is missing or means something else.
 * @param value where it stands, as it is written down
 */
export function goesOn(before: Template, after: Template, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("on" in value)) return false;
  return isSame(before.chart, after.chart, value.on);
}

type Node = Pick<StateNode<object>, "after" | "states" | "initial" | "parallel"> | Chart<object>;

function isSame(before: Node, after: Node, value: unknown): boolean {
  const isHere =
    before.parallel === after.parallel &&
    waits(before) === waits(after) &&
    (before.states === undefined) === (after.states === undefined);
  if (!isHere) return false;
  const inner = typeof value === "string" ? { [value]: {} } : (value as Readonly<Record<string, unknown>>);
  // All regions of a parallel state are in the value: a new one would be missing.
  if (before.parallel && Object.keys(after.states ?? {}).length !== Object.keys(inner).length) return false;
  return Object.entries(inner).every(([name, below]) => {
    const [one, other] = [before.states?.[name], after.states?.[name]];
    return one !== undefined && other !== undefined && isSame(one, other, below);
  });
}

function waits({ after = {} }: Node): string {
  return JSON.stringify(Object.keys(after).toSorted());
}

/** What a machine kept, as far as the next version keeps the same, and what that keeps at first. */
export function keptBy(context: Kept, old: Readonly<Record<string, unknown>>): Kept {
  const kept = Object.entries(context).map(([name, first]) => {
    const value = Object.hasOwn(old, name) ? old[name] : undefined;
    const isKept = value !== undefined && (value === null || first === null || typeof value === typeof first);
    return [name, isKept ? value : first] as const;
  });
  return Object.fromEntries(kept) as Kept;
}
