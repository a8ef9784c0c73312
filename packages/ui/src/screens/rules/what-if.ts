import type { Told } from "../../api/rules.ts";

/** How many commands a reader sees. */
export const shownCommands = 20;

/** A command of a trial, for a reader: when, to which device, and what. */
export interface Line {
  readonly at: number;
  readonly device: string;
  readonly attribute: string;
  readonly value: unknown;
}

/** Returns the first commands of a trial, a line for each attribute; a time that a lamp takes is left out. */
export function linesOf({ commands }: { readonly commands: readonly Omit<Told, "rule">[] }): readonly Line[] {
  return commands.slice(0, shownCommands).flatMap(({ at, device, attributes }) =>
    Object.entries(attributes)
      .filter(([attribute]) => attribute !== "transitionMsec")
      .map(([attribute, value]) => ({ at, device, attribute, value })),
  );
}
