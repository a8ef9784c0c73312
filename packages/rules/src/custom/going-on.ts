import type { Chart, StateNode } from "../machine/chart.ts";
import type { Template } from "../catalogue/template.ts";
import type { Kept } from "./names.ts";

/**
 * Returns whether a running machine can continue with another version of its template: the new version has
 * each of its current states with the same delays, so that no timer is missing or means something else.
 * @param value the machine's state value as the log has it
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
  // The value names all regions of a parallel state; a new region would be missing.
  if (before.parallel && Object.keys(after.states ?? {}).length !== Object.keys(inner).length) return false;
  return Object.entries(inner).every(([name, below]) => {
    const [one, other] = [before.states?.[name], after.states?.[name]];
    return one !== undefined && other !== undefined && isSame(one, other, below);
  });
}

function waits({ after = {} }: Node): string {
  return JSON.stringify(Object.keys(after).toSorted());
}

/**
 * Returns the first context of the next version, with the values kept so far where their names and types
 * still fit.
 */
export function keptBy(context: Kept, old: Readonly<Record<string, unknown>>): Kept {
  const kept = Object.entries(context).map(([name, first]) => {
    const value = Object.hasOwn(old, name) ? old[name] : undefined;
    const isKept = value !== undefined && (value === null || first === null || typeof value === typeof first);
    return [name, isKept ? value : first] as const;
  });
  return Object.fromEntries(kept) as Kept;
}
