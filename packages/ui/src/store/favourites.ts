// The devices that the user wants to see first, in every browser.
import { effect, signal } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { preferences, setPreferences } from "../api/preferences.ts";
import { change } from "./commands.ts";
import { entry, home, user } from "./home.ts";
import { idsIn, placed, withIds } from "./favourite-ids.ts";

/** Ids of the favourites in their order; null while they are not known, or the hub keeps none. */
export const favourites = signal<readonly string[] | null>(null);

async function load(): Promise<void> {
  const asker = user.peek();
  const answer = await preferences();
  if (user.peek() === asker) favourites.value = answer.ok ? idsIn(answer.value.values) : null;
}

/** Learns the favourites whenever somebody is in and the home is there. */
export function openFavourites(): void {
  let isKnown = false;
  effect(() => {
    const isIn = entry.value === "in" && home.isTold.value;
    if (isIn === isKnown) return;
    isKnown = isIn;
    if (isIn) void load();
    else favourites.value = null;
  });
}

let kept: Promise<unknown> = Promise.resolve();

/**
 * Gives a favourite a place, or takes it out for null, beside what other clients keep for the user. Each change begins
 * with what the hub keeps now, which another browser may have changed.
 */
function place(id: string, at: number | null): Promise<Answer<unknown>> {
  const next = kept.then(async (): Promise<Answer<unknown>> => {
    const now = await preferences();
    if (!now.ok) return now;
    const ids = placed(idsIn(now.value.values), id, at);
    const answer = await setPreferences(withIds(now.value.values, ids));
    if (answer.ok) favourites.value = ids;
    return answer;
  });
  kept = next;
  return next;
}

/** Makes a device a favourite, or no longer one. @param done what to tell the user */
export async function setFavourite(id: string, isWanted: boolean, done: string): Promise<void> {
  const was = favourites.peek()?.indexOf(id) ?? -1;
  const before = was < 0 ? null : was;
  await change(place(id, isWanted ? Infinity : null), done, () => place(id, before));
}
