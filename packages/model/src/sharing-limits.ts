/** Limits of what a hub tells its cloud of the home; part of `limits`. */
export const sharingLimits = {
  /** How many changes or objects one answer holds; it ends before one more when it has as many bytes. */
  changesAtOnce: 1000,
  changesPageBytes: 2_097_152,
  /** How many commits of the log one answer reads. */
  changesCommits: 50_000,
  /** How long the hub waits for the first change. */
  changesWaitMaxS: 55,
  changeLineBytes: 65_536,
  /**
   * Nested objects and arrays of a line: more than a device holds (`bodyDepth`), and fewer than the 100 levels that
   * MessagePack encodes, with which states are pushed.
   */
  changeLineDepth: 64,
  changeCursorChars: 256,
  /** From how many bytes on an answer is compressed, and how many are written at once if it is not. */
  changesPlainBytes: 16_384,
  /** Bytes that are compressed at once: each time waits for another thread. */
  changesPackedBytes: 262_144,
  /** How many commits of the log or objects of the home are read before other work gets a turn. */
  changesSlice: 100,
  /** How many ids are compared before other work gets a turn. */
  changesIdsSlice: 2000,
} as const;
