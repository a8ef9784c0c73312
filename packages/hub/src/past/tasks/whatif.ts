import { Simulation } from "@ledge/kernel";
import type { Reaction } from "@ledge/model";
import { catalogue, whatIf } from "@ledge/rules";
import { sceneActivation } from "../../reactions/scenes.ts";
import { kernelParts } from "../../start/kernel-parts.ts";
import { BudgetSpent, type Reader } from "../reader.ts";
import type { Task } from "./index.ts";

/** What rules would have done. What takes longer than it may is answered as far as it has come. */
export const whatif: Task<"whatif"> = (reader, { from, to, ...of }) => {
  const { states } = reader.stateAt(from).projection;
  let ids = 0;
  const newId = (): string => `tried-${String(++ids).padStart(8, "0")}`;
  const open = (reactions: readonly Reaction[]): Simulation =>
    new Simulation({ aggregates: kernelParts.aggregates, reactions, newId }, states);
  const isOver = overOf(reader);
  const reactions = [sceneActivation];
  return whatIf({ ...of, catalogue, from, to, reactions, isOver }, open, reader.log.read(from, to));
};

/** Whether there is no time left. */
function overOf(reader: Pick<Reader, "spend">): () => boolean {
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
