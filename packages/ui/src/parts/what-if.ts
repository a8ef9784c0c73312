import type { Told } from "../api/rules.ts";

/** How many commands a reader sees. */
export const shownCommands = 20;

/** A command of a trial, for a reader: when, to which device, what, and which report led to it. */
export interface Line {
  readonly at: number;
  readonly device: string;
  readonly attribute: string;
  readonly value: unknown;
  /** Null where no report of a device led to it. */
  readonly because: { readonly device: string; readonly attribute: string; readonly value: unknown } | null;
  /** A timer came due in between. */
  readonly isLate: boolean;
}

type Command = Omit<Told, "rule"> & {
  readonly because?: {
    readonly timer?: string;
    readonly device?: string;
    readonly attribute?: string;
    readonly value?: unknown;
  };
};

const youngMs = 6 * 86_400_000;

/** Whether a trial of a week saw less than most of one, as the hub has not known the home for longer. */
export function isYoung({ from, to }: { readonly from: number; readonly to: number }): boolean {
  return to - from < youngMs;
}

/** Returns the first commands of a trial, a line for each attribute; a time that a lamp takes is left out. */
export function linesOf(commands: readonly Command[]): readonly Line[] {
  return commands.slice(0, shownCommands).flatMap(({ at, device, attributes, because }) =>
    Object.entries(attributes)
      .filter(([attribute]) => attribute !== "transitionMsec")
      .map(([attribute, value]) => ({
        at,
        device,
        attribute,
        value,
        because: reasonIn(because),
        isLate: because?.timer !== undefined,
      })),
  );
}

function reasonIn(because: Command["because"]): Line["because"] {
  const { device, attribute, value } = because ?? {};
  return device === undefined || attribute === undefined ? null : { device, attribute, value };
}
