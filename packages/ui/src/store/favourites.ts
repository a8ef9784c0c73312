// The devices that the user wants to see first, in every browser.
import { computed } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { change } from "./commands.ts";
import { idsIn, placed, withIds } from "./favourite-ids.ts";
import { changeOwn, ownPreferences } from "./own-preferences.ts";

/** Ids of the favourites in their order; null while they are not known, or the hub keeps none. */
export const favourites = computed(() => ownPreferences.value && idsIn(ownPreferences.value));

/** Gives a favourite a place, or takes it out for null. */
function place(id: string, at: number | null): Promise<Answer<unknown>> {
  return changeOwn((values) => withIds(values, placed(idsIn(values), id, at)));
}

/** Makes a device a favourite, or no longer one. @param done what to tell the user */
export async function setFavourite(id: string, isWanted: boolean, done: string): Promise<void> {
  const was = favourites.peek()?.indexOf(id) ?? -1;
  const before = was < 0 ? null : was;
  await change(place(id, isWanted ? Infinity : null), done, () => place(id, before));
}
