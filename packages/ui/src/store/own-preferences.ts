// What the user keeps at the hub, for every browser.
import { effect, signal } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { type Preferences, preferences, setPreferences } from "../api/preferences.ts";
import { entry, home, user } from "./home.ts";

type Values = Preferences["values"];

/** What is kept of the user, by any client; null while it is not known, or the hub keeps none. */
export const ownPreferences = signal<Values | null>(null);

async function load(): Promise<void> {
  const asker = user.peek();
  const answer = await preferences();
  if (user.peek() === asker) ownPreferences.value = answer.ok ? answer.value.values : null;
}

/** Learns what is kept whenever somebody is in and the home is there. */
export function openPreferences(): void {
  let isKnown = false;
  effect(() => {
    const isIn = entry.value === "in" && home.isTold.value;
    if (isIn === isKnown) return;
    isKnown = isIn;
    if (isIn) void load();
    else ownPreferences.value = null;
  });
}

let kept: Promise<unknown> = Promise.resolve();

/**
 * Changes what is kept. Each change begins with what the hub keeps now, which another browser may have changed.
 * @param changed returns the values with the change; all that it does not know stays
 */
export function changeOwn(changed: (values: Values) => Values): Promise<Answer<unknown>> {
  const next = kept.then(async (): Promise<Answer<unknown>> => {
    const now = await preferences();
    if (!now.ok) return now;
    const values = changed(now.value.values);
    const answer = await setPreferences(values);
    if (answer.ok) ownPreferences.value = values;
    return answer;
  });
  kept = next;
  return next;
}
