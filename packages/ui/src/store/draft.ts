/** What a form held that nobody has saved yet. */
export interface KeptDraft<D> {
  readonly value: D;
  /** The form of the saved object with which it began, as a text. */
  readonly base: string;
  /** When it was typed (ms since the epoch, of this browser). */
  readonly at: number;
}

/** After that long (ms) nobody misses what was never saved. */
export const keptForMs = 30 * 86_400_000;

/** How a draft stands to the object of its form: it is old, it fits, or the object has changed since. */
export type Standing = "over" | "fits" | "overtaken";

/** Returns how a draft stands. @param saved the form of the object now, as a text @param now ms since the epoch */
export function standingOf({ base, at }: KeptDraft<unknown>, saved: string, now: number): Standing {
  if (now - at > keptForMs) return "over";
  return base === saved ? "fits" : "overtaken";
}
