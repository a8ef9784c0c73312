// The first steps in a new home, which whoever has set the hub up finds on Home until they are done or left out.
import { signal } from "@preact/signals";
import { keep, kept } from "../browser.ts";

/** In the order in which they are shown. */
export const firstSteps = ["place", "sticks", "pair", "rooms", "rules"] as const;
export type FirstStep = (typeof firstSteps)[number];

/** The steps that are done or left out; null: this browser has not set the hub up, or all are. */
export const finished = signal<readonly FirstStep[] | null>(null);

/** Whether this browser may keep what is finished. */
let isKept = false;

async function set(steps: readonly FirstStep[] | null): Promise<void> {
  // What is shown as finished stays so for the next visit.
  if (isKept) await keep("first steps", steps ?? undefined);
  finished.value = steps;
}

/** Goes on where the last visit ended. */
export async function openFirstSteps(): Promise<void> {
  isKept = true;
  finished.value = (await kept<readonly FirstStep[]>("first steps")) ?? null;
}

/** Begins, when a hub has been set up. @param mayKeep whether this browser may keep what is finished */
export async function beginFirstSteps(mayKeep: boolean): Promise<void> {
  isKept = mayKeep;
  await set([]);
}

export async function finishStep(step: FirstStep): Promise<void> {
  const steps = finished.peek();
  if (steps !== null) await set([...steps, step]);
}

/** Leaves out what is not done. */
export async function endFirstSteps(): Promise<void> {
  await set(null);
}
