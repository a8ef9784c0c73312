// Rows about rules.
import type { CronDef, RuleConfig, RuleTemplate, TimeRange, Why } from "@ledge/model";
import type { Rule } from "../store/wire.ts";
import { type Answer, call } from "./call.ts";
import { askPast } from "./turns.ts";

/** A CONFIG that `saveRule` takes as it stands; without an id it is a new rule. */
export type WantedRule = Omit<RuleConfig, "id"> & { readonly id: string | null };

/** RULE_PROPOSAL: a rule that fits the home, what such a rule does, and why, in the reader's language. */
export interface Proposal {
  readonly config: WantedRule;
  readonly summary: string;
  readonly texts: readonly string[];
}

/** Rules that might be made of the devices of the home, the best first. */
export function proposals(signal: AbortSignal): Promise<Answer<readonly Proposal[]>> {
  return askPast("/rules/proposals", { method: "POST", body: { max: 8 }, signal });
}

/** What rules can be made of, in the reader's language. */
export function templates(signal: AbortSignal): Promise<Answer<readonly RuleTemplate[]>> {
  return call("/rules/templates", { signal });
}

/** What a rule told a device, or would have told it; `at` in ms since the epoch. */
export interface Told {
  readonly at: number;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly rule: string;
}

/** Why a rule acts: what a device reported, a timer that came due, or another event. */
interface Because {
  /** Null: the rule acts by itself, as it is turned on. */
  readonly ref: string | null;
  readonly event: string;
  readonly timer?: string;
  readonly device?: string;
  readonly attribute?: string;
  readonly value?: unknown;
}

interface WouldCommand extends Told {
  readonly because: Because;
}

/** What a rule would have told devices. Times in ms since the epoch. */
export interface WhatIf {
  readonly from: number;
  readonly to: number;
  readonly firings: number;
  readonly commands: readonly WouldCommand[];
  readonly commandCount: number;
  /** Beside what it did as it was: commands that would be new, and those that would be missing. */
  readonly diff: {
    readonly onlyNew: readonly WouldCommand[];
    readonly onlyOld: readonly Told[];
    readonly onlyNewCount: number;
    readonly onlyOldCount: number;
  };
}

/** What a rule would have done in a time that is over; from the beginning of the log if that is later. */
export async function whatIf(
  rule: WantedRule,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Answer<WhatIf>> {
  const ask = (since: number): Promise<Answer<WhatIf>> =>
    askPast("/rules/whatif", {
      method: "POST",
      body: { rules: [rule], replaces: [], from: Math.round(since), to: Math.round(to) },
      signal,
    });
  const answer = await ask(from);
  return !answer.ok && answer.oldest !== undefined ? ask(answer.oldest) : answer;
}

/** Saves a rule; a new one is off. */
export function saveRule(rule: WantedRule): Promise<Answer<readonly Rule[]>> {
  return call("/rules", { method: "PUT", body: { rules: [rule] } });
}

export function turnRule(id: string, isOn: boolean): Promise<Answer<unknown>> {
  const type = isOn ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND";
  return call("/rules/command", { method: "PUT", body: [{ type, id }] });
}

/** RULE_ON_CFG (hub-api 2.8): scenes or times that turn a rule on and off; without any, people do. */
export interface OnConfig {
  readonly scenes: readonly string[];
  readonly timers: readonly (TimeRange | CronDef)[];
}

/** Says when a rule is on. */
export function setWhenOn(id: string, on: OnConfig): Promise<Answer<unknown>> {
  return call("/rules/onConfiguration", { method: "PUT", body: { id, ...on } });
}

export function removeRule(ruleId: string): Promise<Answer<true>> {
  return call("/rules", { method: "DELETE", query: { ruleId } });
}

/** Why a rule does nothing. */
export function whyNot(id: string, signal: AbortSignal): Promise<Answer<Why>> {
  return askPast("/why", { query: { id, not: true }, signal });
}
