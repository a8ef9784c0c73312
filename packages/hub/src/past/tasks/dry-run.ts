import type { DryRun } from "@ledge/api";
import { mostPerMinute, whatIf } from "@ledge/rules";
import type { Task } from "./task.ts";
import { begin } from "./firings.ts";
import { overOf, trialOver, trialParts } from "./whatif.ts";

/** Tries rules of a template that is not installed yet on the events since a time, as if they had been on. */
export const dryRun: Task<"dry-run"> = (reader, { rules, customRule, since }): DryRun => {
  const from = begin(reader, since);
  const { states } = reader.stateAt(from).projection;
  const to = reader.now;
  const customRules = [customRule];
  const of = {
    ...trialParts,
    rules,
    replaces: [],
    customRules,
    from,
    to,
    on: "always",
    isOver: overOf(reader),
  } as const;
  const { firings, commandCount, commands, faults, alarms, truncated } = whatIf(
    of,
    trialOver(states),
    reader.log.read(from, to),
  );
  return {
    from,
    to: truncated ?? to,
    firings,
    commandCount,
    mostPerMinute: mostPerMinute(commands.map(({ at }) => at)),
    faults: [...faults],
    stopped: alarms.filter(({ kind }) => kind === "RULE_STOPPED").map(({ at, rule }) => ({ at, rule })),
    isWhole: truncated === undefined,
  };
};
