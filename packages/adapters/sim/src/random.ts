/** A source of numbers 0 <= n < 1. */
export type Random = () => number;

/**
 * The mulberry32 generator (Tommy Ettinger, public domain): 32 bits of state, the same numbers for the same
 * seed on every machine. Good enough for weather; not for keys.
 */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes a generator for each name, so that one device's numbers do not depend on another's. */
export function seededBy(seed: number, name: string): Random {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return seeded((hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0);
}

/** Returns a roughly normally distributed number: mean 0, deviation 0.58. */
export function noise(random: Random): number {
  return random() + random() + random() + random() - 2;
}

/** Whether an event that happens once per `meanMs` on average happens within `ms`. */
export function happens(random: Random, ms: number, meanMs: number): boolean {
  return random() < 1 - Math.exp(-ms / meanMs);
}
