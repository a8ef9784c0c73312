import type { LoggedEvent, WhyStep } from "@ledge/model";
import { isSameValue, parseEventRef } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.ts";
import { worldAt } from "./home-at.ts";
import { guardOf } from "./readings.ts";
import type { Placed, Recorded } from "./recorded.ts";
import { placeIn } from "./recorded.ts";
import type { Telling } from "./telling.ts";
import type { Traced } from "./trace.ts";
import { traceRule } from "./trace.ts";

/**
 * Returns how an event affected a machine of a rule; undefined when it did not reach the machine, `gone` when
 * the home of that time is not known any more.
 * @param run the machine; left out: the first that heard of the event
 */
export function traceAt(
  { ref, at, event }: Placed,
  rule: string,
  run: string | undefined,
  log: Recorded,
  catalogue: Catalogue,
): Traced | "gone" | undefined {
  const index = parseEventRef(ref)?.index;
  const before = log.before(at);
  const commit = log.commit(at);
  const place = commit && index !== undefined ? placeIn(commit, index) : -1;
  if (before === undefined || commit === undefined || place < 0) return "gone";
  const traced = traceRule(rule, event, worldAt(before, commit, place), catalogue);
  return run === undefined ? traced[0] : traced.find((one) => one.run === run);
}

export function stepOf(
  { run, before, after, asked }: Traced,
  rule: string,
  entry: Pick<CatalogueEntry, "template"> | undefined,
  telling: Telling,
): WhyStep {
  const guards =
    entry === undefined ? null : asked.map((one) => guardOf(one, entry.template, telling.language));
  return { rule, run, before: stateName(before), after: stateName(after), guards };
}

/**
 * Returns whether the replayed step matches the recorded one; otherwise the guards of the replay explain
 * nothing.
 */
export function isAsStepped(traced: Traced, stepped: LoggedEvent): boolean {
  if (stepped.type !== "RuleStepped") return true;
  return isSameValue((stepped as LoggedEvent & { readonly value: unknown }).value, traced.after);
}

/** Returns the state of a machine, such as `dark` or `airing.clearing`; null when it does not run. */
export function stateName(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const name = pathOf(value);
  return name.replace(/^on\./, "");
}

function pathOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Object.entries(value as object)
    .map(([name, inner]) => `${name}.${pathOf(inner)}`)
    .join(" + ");
}
