/** Limits of what a hub tells its cloud of the home; part of `limits`. */
export const sharingLimits = {
  /** How many changes one answer holds, and how long the hub waits for the first one. */
  changesAtOnce: 1000,
  changesWaitMaxS: 55,
  changeLineBytes: 65_536,
  changeCursorChars: 64,
  /** Bytes that are written at once, and from how many on an answer is compressed. */
  changesChunkBytes: 16_384,
  /** How many commits of the log or objects of the home are read before other work gets a turn. */
  changesSlice: 100,
} as const;
