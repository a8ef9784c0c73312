import type { CustomRule, Reader, RuleConfig } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { filledBy, standardsOf } from "../proposals/fill.ts";

const minuteMs = 60_000;

/** The rules with which a custom rule is tried before it is installed. */
export interface TriedOn {
  readonly rules: readonly RuleConfig[];
  /** Whether the home has these rules; otherwise they are made of the first devices that fit. */
  readonly areOwn: boolean;
}

/** Returns the home's rules of a custom rule, or else one that could be made; none when no devices fit. */
export function triedOn(rule: CustomRule, catalogue: Catalogue, read: Pick<Reader, "get" | "all">): TriedOn {
  const own = [...read.all("rule")].flatMap(([, { config }]) =>
    config.configType === rule.id ? [config] : [],
  );
  if (own.length > 0) return { rules: own, areOwn: true };
  const drafted = { get: (kind: string) => (kind === "customRule" ? rule : undefined) } as Pick<
    Reader,
    "get"
  >;
  const template = catalogue.template(rule.id, drafted);
  const devices = [...read.all("device")].map(([, device]) => device);
  const ordered = devices.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const filled = template && filledBy(template, ordered);
  if (template === undefined || filled === undefined) return { rules: [], areOwn: false };
  const { inputs, outputs } = filled;
  const extras = standardsOf(template);
  const name = template.texts.en.name;
  const config = {
    type: "CONFIG",
    id: "tried-1",
    name,
    configType: rule.id,
    inputs,
    outputs,
    extras,
  } as const;
  return { rules: [config], areOwn: false };
}

/**
 * Returns the most events within any minute.
 * @param times ms, ascending
 */
export function mostPerMinute(times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [index, at] of times.entries()) {
    while (at - (times[first] ?? at) >= minuteMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
