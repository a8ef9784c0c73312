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

/** A stick or port that the adapter of a protocol uses. */
export type UsedStick = Stick & { readonly usedBy: string };

/** Returns the sticks and ports that an adapter uses. */
export function usedSticks(all: readonly Stick[]): readonly UsedStick[] {
  return all.filter((stick): stick is UsedStick => stick.usedBy !== null);
}
