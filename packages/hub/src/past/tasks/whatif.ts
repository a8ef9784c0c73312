import { Simulation } from "@ledge/kernel";
import type { Layer } from "@ledge/kernel";
import type { Reader as ModelReader, RuleConfig } from "@ledge/model";
import { catalogue, type OpenTrial, whatIf, withMembers } from "@ledge/rules";
import { sceneActivation } from "../../reactions/scenes.ts";
import { kernelParts } from "../../start/kernel-parts.ts";
import { BudgetSpent, type Reader } from "../reader.ts";
import { heededBy } from "./heeded.ts";
import type { Task } from "./task.ts";

/** What rules would have done. What takes longer than it may is answered as far as it has come. */
export const whatif: Task<"whatif"> = (reader, { from, to, ...of }) => {
  const { states } = reader.stateAt(from).projection;
  const rules = of.rules.map((rule) => resolvedIn(states, rule));
  const how = { ...of, ...trialParts, rules, from, to, isOver: overOf(reader) };
  return whatIf(how, trialOver(states), reader.log.read(from, to, heededBy(rules)));
};

/** A CONFIG with the members that its groups had at the beginning of a trial. */
export function resolvedIn(states: Layer, config: RuleConfig): RuleConfig {
  const read = { get: ((kind, id) => states.get(kind, id)) as ModelReader["get"] };
  return withMembers(config, catalogue.template(config.configType, read), read);
}

/** What is the same in every trial of this hub. */
export const trialParts = { catalogue, reactions: [sceneActivation] } as const;

/** @param states as of the beginning; they are not changed */
export function trialOver(states: Layer): OpenTrial {
  let ids = 0;
  const newId = (): string => `tried-${String(++ids).padStart(8, "0")}`;
  const { aggregates } = kernelParts;
  return (reactions) => new Simulation({ aggregates, reactions, newId }, states);
}

/** Whether there is no time left. */
export function overOf(reader: Pick<Reader, "spend">): () => boolean {
  return () => {
    try {
      reader.spend();
      return false;
    } catch (error) {
      if (error instanceof BudgetSpent) return true;
      throw error;
    }
  };
}
