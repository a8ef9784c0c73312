import { Simulation } from "@ledge/kernel";
import type { Layer } from "@ledge/kernel";
import type { Reader as ModelReader, RuleConfig } from "@ledge/model";
import { catalogue, type OpenTrial, whatIf, withMembers } from "@ledge/rules";
import { sceneActivation } from "../../reactions/scenes.ts";
import { kernelParts } from "../../start/kernel-parts.ts";
import { BudgetSpent, type Reader } from "../reader.ts";
import { heededBy } from "./heeded.ts";
import type { Task } from "./task.ts";

/** Tries rules on recorded events. When time runs out, the answer covers the part that was tried. */
export const whatif: Task<"whatif"> = (reader, { from, to, ...of }) => {
  const { states } = reader.stateAt(from).projection;
  const rules = of.rules.map((rule) => resolvedIn(states, rule));
  const how = { ...of, ...trialParts, rules, from, to, isOver: overOf(reader) };
  return whatIf(how, trialOver(states), reader.log.read(from, to, heededBy(rules)));
};

/** Returns a CONFIG with its groups replaced by the members at the beginning of a trial. */
export function resolvedIn(states: Layer, config: RuleConfig): RuleConfig {
  const read = { get: ((kind, id) => states.get(kind, id)) as ModelReader["get"] };
  return withMembers(config, catalogue.template(config.configType, read), read);
}

/** The parts that all trials of this hub share. */
export const trialParts = { catalogue, reactions: [sceneActivation] } as const;

/** @param states the states at the beginning; they are not changed */
export function trialOver(states: Layer): OpenTrial {
  let ids = 0;
  const newId = (): string => `tried-${String(++ids).padStart(8, "0")}`;
  const { aggregates } = kernelParts;
  return (reactions) => new Simulation({ aggregates, reactions, newId }, states);
}

/** Returns a function that tells whether the time is used up. */
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
