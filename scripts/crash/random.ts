/** Reproducible random numbers. */
export interface Random {
  /** Returns a whole number from 0 up to `below`, exclusive. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/**
 * Creates random numbers.
 * @param seed text or number; the same seed gives the same numbers
 */
export function seeded(seed: string | number): Random {
  let state = hash(String(seed));
  // The algorithm is mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[Math.floor(next() * list.length)] as (typeof list)[number];
    },
  };
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
