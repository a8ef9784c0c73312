import Type from "typebox";
import type { Continuation, Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/** Commands of one chain of causes, in order. */
const Run = Type.Object({
  origin: Type.String(),
  cause: Type.Optional(Type.String()),
  root: Type.Optional(Type.String()),
  depth: Type.Integer(),
  commands: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
});
type Run = Type.Static<typeof Run>;

/**
 * Commands of reactions that did not fit into the commit of their events; a later commit takes them. They may
 * contain keys, so they are sealed on disk.
 */
export interface Cascade {
  readonly id: string;
  readonly parts: { readonly following: readonly Run[] };
}

declare module "./states.ts" {
  interface States {
    cascade: Cascade;
  }
}

export type CascadeCommand =
  | { type: "CUT_CASCADE"; id: string; following: readonly Continuation[] }
  | { type: "CARRY_ON_CASCADE"; id: string };

const CascadeCut = telemetry(defineEvent("CascadeCut", 1, { following: Type.Array(Run) }, ["following"]));
/** The rest of its commit continues the cascade. */
const CascadeCarriedOn = telemetry(defineEvent("CascadeCarriedOn", 1, {}));

export type CascadeEvent = EventOf<typeof CascadeCut> | EventOf<typeof CascadeCarriedOn>;

/** One instance for each commit that has to be continued. */
export const cascade: Decider<Cascade, CascadeCommand, CascadeEvent> = {
  kind: "cascade",
  commands: ["CUT_CASCADE", "CARRY_ON_CASCADE"],
  events: [CascadeCut, CascadeCarriedOn],
  secrets: ["parts"],

  target: ({ id }) => id,

  decide(command, state) {
    const { id } = command;
    if (command.type === "CUT_CASCADE")
      return [{ type: "CascadeCut", id, following: runsOf(command.following) } satisfies CascadeEvent];
    return state === undefined ? [] : [{ type: "CascadeCarriedOn", id } satisfies CascadeEvent];
  },

  evolve(_state, event) {
    return event.type === "CascadeCut" ? { id: event.id, parts: { following: event.following } } : undefined;
  },
};

/** Returns the commands of a cascade, in order; none when their key is lost. */
export function continuationsOf({ parts: { following } }: Cascade): readonly Continuation[] {
  if (!Array.isArray(following)) return [];
  return (following as readonly Run[]).flatMap(({ commands, ...chain }) =>
    commands.map((command) => ({ command, chain: chain as Continuation["chain"] })),
  );
}

function runsOf(following: readonly Continuation[]): Run[] {
  const runs: Run[] = [];
  let last: Continuation["chain"] | undefined;
  for (const { command, chain } of following) {
    const isSame =
      last?.origin === chain.origin &&
      last.cause === chain.cause &&
      last.root === chain.root &&
      last.depth === chain.depth;
    if (isSame) runs.at(-1)?.commands.push(command);
    else runs.push({ ...chain, commands: [command] });
    last = chain;
  }
  return runs;
}
