import { WhatIf } from "@ledge/rules";
import { HistoryPruned, type Reader } from "../reader.ts";
import { heededBy } from "./heeded.ts";
import type { Task } from "./task.ts";
import { overOf, resolvedIn, trialOver, trialParts } from "./whatif.ts";

/** How often rules would have acted since then, each alone; as far as there is time to say. */
export const firings: Task<"firings"> = (reader, { rules: named, customRules, since }) => {
  const from = begin(reader, since);
  const { states } = reader.stateAt(from).projection;
  const rules = named.map((rule) => resolvedIn(states, rule));
  const to = reader.now;
  const isOver = overOf(reader);
  const trials = rules.map((rule) => {
    const of = { ...trialParts, rules: [rule], replaces: [], customRules, from, to, isOver };
    return new WhatIf(of, trialOver(states));
  });
  for (const commit of reader.log.read(from, to, heededBy(rules))) {
    let isTime = true;
    for (const trial of trials) isTime = trial.hear(commit) && isTime;
    if (!isTime) break;
  }
  return { from, firings: trials.map((trial) => trial.end().firings) };
};

/** The oldest time from then on of which all is known. */
export function begin(reader: Reader, since: number): number {
  try {
    void reader.stateAt(since);
    return since;
  } catch (error) {
    if (error instanceof HistoryPruned) return error.oldest;
    throw error;
  }
}
