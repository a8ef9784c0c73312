type Values = Readonly<Record<string, unknown>>;

/** Returns the ids of favourites in preferences, which any client may have written. */
export function idsIn({ favourites }: Values): readonly string[] {
  if (!Array.isArray(favourites)) return [];
  return [...new Set(favourites.filter((id) => typeof id === "string"))];
}

/** Returns ids with one at a place, or at the end for a place behind it; without the one for null. */
export function placed(ids: readonly string[], id: string, place: number | null): readonly string[] {
  const others = ids.filter((other) => other !== id);
  return place === null ? others : [...others.slice(0, place), id, ...others.slice(place)];
}

/** Returns preferences with other favourites; all else stays. */
export function withIds(values: Values, favourites: readonly string[]): Values {
  return { ...values, favourites };
}
