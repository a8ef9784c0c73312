import type { Stick } from "../../api/setup.ts";
import { type FirstStep, firstSteps } from "../../store/first-steps.ts";

/** What a home has already. */
export interface HomeFacts {
  readonly devices: number;
  /** Devices that are in a room. */
  readonly placed: number;
  /** Rooms that the names of the others suggest. */
  readonly suggested: number;
  readonly rules: number;
  /** Sticks that wait for a use. */
  readonly sticks: number;
}

/** Whether the home shows that there is something to do, by step; `place` and `pair` end only when somebody says so. */
const isDue: Readonly<Record<FirstStep, (facts: HomeFacts) => boolean>> = {
  place: () => true,
  sticks: ({ sticks }) => sticks > 0,
  pair: () => true,
  rooms: ({ devices, placed, suggested }) => devices > 0 && (placed === 0 || suggested > 0),
  rules: ({ devices, rules }) => devices > 0 && rules === 0,
};

/** Returns the steps that are still to be done. */
export function openSteps(finished: readonly FirstStep[], facts: HomeFacts): readonly FirstStep[] {
  return firstSteps.filter((step) => !finished.includes(step) && isDue[step](facts));
}

/** A stick that the hub knows and no adapter uses. */
export type FreeStick = Stick & { readonly model: string; readonly protocol: string };

/** Returns the sticks that wait for a use. Most serial ports are no sticks: the hub knows no model of them. */
export function freeSticks(all: readonly Stick[]): readonly FreeStick[] {
  return all.filter(
    (stick): stick is FreeStick =>
      stick.isThere === true && stick.model !== null && stick.protocol !== null && stick.usedBy === null,
  );
}
