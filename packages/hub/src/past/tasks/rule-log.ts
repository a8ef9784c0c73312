import type { RuleLog } from "@ledge/api";
import { eventRef, indexIn, type LoggedEvent } from "@ledge/model";
import { BudgetSpent, type Reader } from "../reader.ts";
import { type Segment, spans } from "../segments.ts";
import type { Task } from "./task.ts";

type Entry = RuleLog["entries"][number];

/** The events of a rule that its log shows. */
const told: ReadonlySet<string> = new Set([
  "RuleTurnedOn",
  "RuleTurnedOff",
  "RuleStepped",
  "RuleFaulted",
  "RuleStopped",
  "RuleSaid",
]);

/** Returns what rules have done and logged, newest first, as far back as time allows. */
export const ruleLog: Task<"rule-log"> = (reader, { rules, limit, before }): RuleLog => {
  const wanted = new Set(rules);
  const entries: Entry[] = [];
  const newest = Math.min(reader.now, (before ?? Infinity) - 1);
  let reached = newest;
  try {
    for (const span of wanted.size === 0 ? [] : spans(0, newest)) {
      entries.push(...entriesIn(reader, span, wanted).toReversed());
      reached = span.after;
      if (entries.length >= limit) break;
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent) || reached === newest) throw error;
    // The next question continues from there, even when nothing was found yet.
    return { type: "RULE_LOG", entries, before: reached + 1 };
  }
  const isAll = reached <= 0 && entries.length <= limit;
  const shown = wholeCommits(entries, limit);
  return { type: "RULE_LOG", entries: shown, before: isAll ? null : (shown.at(-1)?.timestamp ?? null) };
};

/** Returns at most `limit` entries in whole commits, so that the next page begins with another commit. */
function wholeCommits(entries: Entry[], limit: number): Entry[] {
  if (entries.length <= limit) return entries;
  const next = entries[limit]?.timestamp;
  const whole = entries.slice(0, limit).filter(({ timestamp }) => timestamp !== next);
  // A single commit may exceed the limit.
  return whole.length === 0 ? entries.filter(({ timestamp }) => timestamp === next) : whole;
}

function entriesIn(reader: Reader, { after, until }: Segment, rules: ReadonlySet<string>): readonly Entry[] {
  const found: Entry[] = [];
  for (const commit of reader.log.read(after, until)) {
    reader.spend();
    for (const [place, event] of commit.events.entries()) {
      if (!told.has(event.type)) continue;
      const ruleId = ruleOf(event);
      if (rules.has(ruleId)) found.push(entryOf(event, ruleId, commit.timestamp, indexIn(commit, place)));
    }
  }
  return found;
}

function ruleOf(event: LoggedEvent & { readonly rule?: string }): string {
  return event.rule ?? event.id;
}

function entryOf(event: LoggedEvent, ruleId: string, timestamp: number, index: number): Entry {
  const { type, value, context, text, reason } = event as LoggedEvent & Partial<Fields>;
  return {
    type: "RULE_LOG_ENTRY",
    ref: eventRef(timestamp, index),
    timestamp,
    event: type,
    ruleId,
    ...(value !== undefined && { state: value }),
    ...(context !== undefined && { context }),
    ...(text !== undefined && { text }),
    ...(reason !== undefined && { reason }),
  };
}

interface Fields {
  readonly value: unknown;
  readonly context: Record<string, unknown>;
  readonly text: string;
  readonly reason: string;
}
