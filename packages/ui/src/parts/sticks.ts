import type { Stick } from "../api/setup.ts";

/** A stick that the hub knows and no adapter uses. */
export type FreeStick = Stick & { readonly model: string; readonly protocol: string };

/** Returns the sticks that wait for a use. Most serial ports are no sticks: the hub knows no model of them. */
export function freeSticks(all: readonly Stick[]): readonly FreeStick[] {
  return all.filter(
    (stick): stick is FreeStick =>
      stick.isThere === true && stick.model !== null && stick.protocol !== null && stick.usedBy === null,
  );
}

/** Returns the sticks and ports that an adapter uses. */
export function usedSticks(all: readonly Stick[]): readonly Stick[] {
  return all.filter(({ usedBy }) => usedBy !== null);
}
