import Type from "typebox";
import type { Decision, World } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { Id } from "./schema.ts";

/**
 * Begins a new generation of the hub: among hubs with one identity the cloud keeps to the newest. A restore
 * does this, and so does the choice between two hubs.
 */
const OpenGeneration = Type.Object({
  type: Type.Literal("OPEN_GENERATION"),
  id: Id,
  /** A generation that the new one must exceed; default: the hub's own. */
  above: Type.Optional(Type.Integer()),
});
export type OpenGeneration = Type.Static<typeof OpenGeneration>;

/** When the generation began (ms), by the hub's clock, but later than any that it knows. */
export const GenerationOpened = defineEvent("GenerationOpened", 1, { generation: Type.Integer() });
export type GenerationOpened = EventOf<typeof GenerationOpened>;

/** Opens a generation later than any known one. */
export function decideGeneration(
  { id, above = 0 }: OpenGeneration,
  present: number,
  { now }: Pick<World, "now">,
): Decision<GenerationOpened> {
  const generation = Math.max(now, present + 1, above + 1);
  return [{ type: "GenerationOpened", id, generation }];
}
