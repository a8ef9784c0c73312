/** A turn of a device that goes on and off at random. */
export interface Turn {
  readonly isOn: boolean;
  /** When the next turn begins, ms since the epoch. */
  readonly until: number;
}

/**
 * Returns the turn at `now` of a device that is off from `begin` on (ms since the epoch), then on, and so on.
 * Each turn lasts from `least` to `most` ms (`least` > 0); the same seed always gives the same turns.
 */
export function turnAt(seed: string, begin: number, least: number, most: number, now: number): Turn {
  let until = begin;
  for (let index = 0; ; index++) {
    until += Math.round(least + chance(`${seed} ${index}`) * (most - least));
    if (until > now) return { isOn: index % 2 === 1, until };
  }
}

/** Returns a number 0 <= n < 1 for a text: FNV-1a, mixed as in MurmurHash3, both in the public domain. */
function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
