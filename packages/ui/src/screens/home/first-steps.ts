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
