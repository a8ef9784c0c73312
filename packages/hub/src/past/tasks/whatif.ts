import { Simulation } from "@ledge/kernel";
import type { Layer } from "@ledge/kernel";
import { catalogue, type OpenTrial, whatIf } from "@ledge/rules";
import { sceneActivation } from "../../reactions/scenes.ts";
import { kernelParts } from "../../start/kernel-parts.ts";
import { BudgetSpent, type Reader } from "../reader.ts";
import { heededBy } from "./heeded.ts";
import type { Task } from "./index.ts";

/** What rules would have done. What takes longer than it may is answered as far as it has come. */
export const whatif: Task<"whatif"> = (reader, { from, to, ...of }) => {
  const open = trialOver(reader.stateAt(from).projection.states);
  const how = { ...of, ...trialParts, from, to, isOver: overOf(reader) };
  return whatIf(how, open, reader.log.read(from, to, heededBy(of.rules)));
};

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
