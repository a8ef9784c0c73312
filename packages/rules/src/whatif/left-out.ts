import type { EventRef, LoggedEvent } from "@ledge/model";
import { ruleIn } from "@ledge/model";
import { parseRunId, parseTimerId } from "../engine/run-id.ts";

/** Events whose aggregate id is that of a rule. */
const ofRules: ReadonlySet<string> = new Set([
  "RuleCreated",
  "RuleConfigured",
  "RuleOnConfigured",
  "RuleTurnedOn",
  "RuleTurnedOff",
  "RuleStopped",
  "RuleRemoved",
]);
const ofRuns: ReadonlySet<string> = new Set(["RuleStepped", "RuleFaulted", "RuleRunEnded"]);
const ofTimers: ReadonlySet<string> = new Set(["TimerSet", "TimerFired", "TimerSkipped", "TimerCancelled"]);

/**
 * Finds what certain rules did in a recording: their own events, their commands, the reports that confirm
 * these, and what the scenes did that they turned on. Reactions of other rules are not found, as a trial does
 * not run those again.
 */
export class LeftOut {
  readonly #rules: ReadonlySet<string>;
  readonly #refs = new Set<EventRef>();
  readonly #commands = new Set<string>();

  constructor(rules: ReadonlySet<string>) {
    this.#rules = rules;
  }

  /** Returns whether an event was caused by the rules. Call it for all events, in order. */
  takes(event: LoggedEvent, ref: EventRef): boolean {
    if (this.#rules.size === 0 || !this.#isTheirs(event)) return false;
    this.#refs.add(ref);
    if (event.type === "CommandIssued") this.#commands.add(event.id);
    return true;
  }

  #isTheirs(event: LoggedEvent): boolean {
    const { type, id, origin, cause } = event;
    const rule = ruleIn(origin);
    if (rule !== undefined && this.#rules.has(rule)) return true;
    if (ofRules.has(type)) return this.#rules.has(id);
    if (ofRuns.has(type)) return this.#rules.has(parseRunId(id).rule);
    if (ofTimers.has(type)) return this.#rules.has(parseTimerId(id)?.rule ?? "");
    if (this.#commands.has(id)) return true;
    if (type === "CommandSuppressed") return this.#rules.has((event as LoggedEvent & { rule: string }).rule);
    return rule === undefined && cause !== undefined && this.#refs.has(cause as EventRef);
  }
}
