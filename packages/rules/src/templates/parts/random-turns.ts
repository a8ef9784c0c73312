/** A turn of something that goes on and off at random. */
export interface Turn {
  readonly isOn: boolean;
  /** When the next turn begins, ms since the epoch. */
  readonly until: number;
}

/**
 * The turn at `now` of something that is off from `begin` on (ms since the epoch), then on, and so forth. Each turn
 * takes from `least` to `most` ms, `least` being more than 0; a seed always gives the same turns.
 */
export function turnAt(seed: string, begin: number, least: number, most: number, now: number): Turn {
  let until = begin;
  for (let index = 0; ; index++) {
    until += Math.round(least + chance(`${seed} ${index}`) * (most - least));
    if (until > now) return { isOn: index % 2 === 1, until };
  }
}

/** A number 0 <= n < 1 that a text has: FNV-1a, mixed as in MurmurHash3, both in the public domain. */
function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
