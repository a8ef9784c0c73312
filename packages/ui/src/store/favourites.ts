// The devices that the user wants to see first, in every browser.
import { effect, signal } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { preferences, setPreferences } from "../api/preferences.ts";
import { change } from "./commands.ts";
import { entry, home } from "./home.ts";
import { idsIn, withIds } from "./favourite-ids.ts";

/** Ids of the favourites in their order; null while they are not known, or the hub keeps none. */
export const favourites = signal<readonly string[] | null>(null);

async function load(): Promise<void> {
  const answer = await preferences();
  favourites.value = answer.ok ? idsIn(answer.value.values) : null;
}

/** Learns the favourites whenever somebody is in and the home is there. */
export function openFavourites(): void {
  let isKnown = false;
  effect(() => {
    const isIn = entry.value === "in" && home.asOf.value > 0;
    if (isIn === isKnown) return;
    isKnown = isIn;
    if (isIn) void load();
    else favourites.value = null;
  });
}

/** Keeps favourites beside what other clients keep for the user. */
async function keep(ids: readonly string[]): Promise<Answer<unknown>> {
  const now = await preferences();
  if (!now.ok) return now;
  const answer = await setPreferences(withIds(now.value.values, ids));
  if (answer.ok) favourites.value = ids;
  return answer;
}

/** Makes a device a favourite, or no longer one. @param done what to tell the user */
export async function setFavourite(id: string, isWanted: boolean, done: string): Promise<void> {
  const before = favourites.peek() ?? [];
  const without = before.filter((other) => other !== id);
  await change(keep(isWanted ? [...without, id] : without), done, () => keep(before));
}
