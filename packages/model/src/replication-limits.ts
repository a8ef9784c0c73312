/** Limits of what a cloud takes from hubs about their homes; part of `limits`. */
export const replicationLimits = {
  /** How long the cloud lets a hub wait for news, and how long an answer may take beyond that. */
  changesWaitS: 25,
  changesAnswerMs: 60_000,
  /** The largest answer, before it is compressed. A hub ends its answers well below. */
  changesBytes: 4_194_304,
  /** The largest window of a compressed answer, as a power of two: its decompression needs as much memory. */
  changesWindowLog: 23,
  /** Bytes of a compressed answer that are read, once it is decompressed, before other work gets a turn. */
  changesReadSliceBytes: 131_072,
  /** How many answers of hubs are read and stored at the same time, and for how long; the others wait at their hubs. */
  changesUnderWay: 64,
  changesReadMs: 30_000,
  /** How long to wait after a failure: doubled from the first to the last, with chance. */
  changesBackoffMinMs: 1000,
  changesBackoffMaxMs: 300_000,
  /** The shortest time between two answers that say nothing, and from which one in a row on nothing counts as such. */
  changesIdleMs: 1000,
  changesFruitless: 200,
  /** Characters of an id, a name and other texts of a device in a register (platform-api 2.4). */
  registerDeviceIdChars: 64,
  registerTextChars: 100,
  registerCapabilities: 200,
} as const;
