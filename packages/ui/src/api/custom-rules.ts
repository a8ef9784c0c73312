// Rows about custom rules and the machines of rules.
import type { RuleDiagram } from "@ledge/model";
import { type Answer, call } from "./call.ts";

/** CUSTOM_RULE_INFO: an installed custom rule. */
export interface CustomRuleInfo {
  readonly configType: string;
  readonly name: string;
  readonly version: number;
  /** ms since the epoch. */
  readonly installedAt: number;
  /** Ids of the rules that are of it. */
  readonly rules: readonly string[];
}

export function customRules(signal: AbortSignal): Promise<Answer<readonly CustomRuleInfo[]>> {
  return call("/rules/template", { signal });
}

/** The source of an installed custom rule, byte for byte. */
export function customSource(type: string, signal: AbortSignal): Promise<Answer<string>> {
  return call("/rules/template", { query: { type }, signal, isText: true });
}

/** What came of trying a source. Times in ms since the epoch. */
export interface Tried {
  readonly configType: string;
  /** Null where the home has no devices to try it on. */
  readonly dryRun: {
    readonly from: number;
    readonly firings: number;
    readonly commandCount: number;
    readonly mostPerMinute: number;
    readonly faults: readonly { readonly at: number; readonly reason: string }[];
    readonly stopped: readonly { readonly at: number }[];
  } | null;
}

const patienceMs = 60_000;

/** Checks a source, runs its tests and tries it on the last week. @param installs whether it is then installed */
export function sendSource(source: string, installs: boolean, signal?: AbortSignal): Promise<Answer<Tried>> {
  return call("/rules/template", {
    method: "POST",
    query: { dryRun: !installs },
    source,
    timeoutMs: patienceMs,
    ...(signal && { signal }),
  });
}

export function removeCustomRule(type: string): Promise<Answer<true>> {
  return call("/rules/template", { method: "DELETE", query: { type } });
}

/** The machine of a source, which need not be installed. */
export function drawSource(source: string, signal: AbortSignal): Promise<Answer<RuleDiagram>> {
  return call("/rules/diagram", { method: "POST", query: { format: "json" }, source, signal });
}

/** The machine of a rule, with the states that it stands in. */
export function drawRule(ruleId: string, signal: AbortSignal): Promise<Answer<RuleDiagram>> {
  return call("/rules/diagram", { query: { ruleId, format: "json" }, signal });
}

/** RULE_LOG_ENTRY: what a rule did or said; `timestamp` in ms since the epoch. */
export interface RuleLogEntry {
  readonly ref: string;
  readonly timestamp: number;
  readonly event: string;
  readonly ruleId: string;
  readonly state?: unknown;
  readonly text?: string;
  readonly reason?: string;
}

/** What a rule has done and said, the newest first. */
export function ruleLog(
  ruleId: string,
  signal: AbortSignal,
): Promise<Answer<{ readonly entries: readonly RuleLogEntry[] }>> {
  return call("/rules/log", { query: { ruleId, limit: 50 }, signal });
}
