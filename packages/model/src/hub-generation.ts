import Type from "typebox";
import type { Decision, World } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { Id } from "./schema.ts";

/**
 * The hub begins a new generation: of hubs with one identity the cloud keeps to the newest. A restore does so, and
 * whoever decides between two hubs.
 */
const OpenGeneration = Type.Object({
  type: Type.Literal("OPEN_GENERATION"),
  id: Id,
  /** A generation that the new one is newer than; default: the hub's own. */
  above: Type.Optional(Type.Integer()),
});
export type OpenGeneration = Type.Static<typeof OpenGeneration>;

/** When it began (ms), by the hub's clock, and always later than what it knows of. */
export const GenerationOpened = defineEvent("GenerationOpened", 1, { generation: Type.Integer() });
export type GenerationOpened = EventOf<typeof GenerationOpened>;

export function decideGeneration(
  { id, above = 0 }: OpenGeneration,
  present: number,
  { now }: Pick<World, "now">,
): Decision<GenerationOpened> {
  const generation = Math.max(now, present + 1, above + 1);
  return [{ type: "GenerationOpened", id, generation }];
}
