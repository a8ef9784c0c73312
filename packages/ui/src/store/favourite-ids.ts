type Values = Readonly<Record<string, unknown>>;

/** Returns the ids of favourites in preferences, which any client may have written. */
export function idsIn({ favourites }: Values): readonly string[] {
  if (!Array.isArray(favourites)) return [];
  return [...new Set(favourites.filter((id) => typeof id === "string"))];
}

/** Returns preferences with other favourites; all else stays. */
export function withIds(values: Values, favourites: readonly string[]): Values {
  return { ...values, favourites };
}
