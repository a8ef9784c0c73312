import { WhatIf } from "@ledge/rules";
import { HistoryPruned, type Reader } from "../reader.ts";
import { heededBy } from "./heeded.ts";
import type { Task } from "./task.ts";
import { overOf, resolvedIn, trialOver, trialParts } from "./whatif.ts";

/** Counts how often each rule, tried alone, would have acted since a time, as far as time allows. */
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

/** Returns the oldest time from `since` on for which the log is complete. */
export function begin(reader: Reader, since: number): number {
  try {
    void reader.stateAt(since);
    return since;
  } catch (error) {
    if (error instanceof HistoryPruned) return error.oldest;
    throw error;
  }
}
