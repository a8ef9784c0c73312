/** Limits of the HTTP servers of hub and cloud; part of `limits`. */
export const httpLimits = {
  bodyBytes: 1_048_576,
  listItems: 1000,
  requestsPerMinutePerToken: 600,
  /** Items in bodies, besides the requests themselves: one full list at once. A large body counts by its size. */
  commandsPerMinutePerToken: 1000,
  bytesPerCommand: 2048,
  /** Requests without a verified credential: those that change something, those that only read, and wrong keys. */
  actsPerMinutePerAddress: 20,
  openReadsPerMinutePerAddress: 300,
  wrongKeysPerMinutePerAddress: 120,
  /**
   * Polls that wait for news (ms): the longest wait, how long the first news after a pause waits for more, and how
   * long all later news. At most so many wait at once: of all callers, of one user, and through the relay, where each
   * holds a place in the tunnel.
   */
  pollWaitMs: 25_000,
  pollFirstCompanyMs: 10,
  pollCompanyMs: 50,
  pollWaiters: 256,
  pollWaitersPerUser: 64,
  pollWaitersRemote: 125,
  /** When a client that finds no place may ask again. */
  pollRetryS: 2,
  /** How often the rights and the presence of those who wait are looked at. */
  pollWaitCheckMs: 5000,
  /** JSON up to this length goes out as it is, whatever a client accepts. */
  plainAnswerBytes: 4096,
  tokenCacheEntries: 2048,
  tokenChars: 8192,
  sseClients: 16,
  sseClientsPerCaller: 4,
  sseBufferEvents: 1000,
  sseHeartbeatMs: 15_000,
  sseChunkEvents: 500,
  logReaders: 4,
  logRingBytes: 262_144,
  logLineChars: 4000,
  /**
   * The process log: characters of a record, characters of a value in a longer record, and the length from
   * which a record is not even read.
   */
  logRecordChars: 16_384,
  logRecordReadChars: 1_048_576,
  logValueChars: 1000,
  logValueItems: 100,
  logChunkChars: 16_384,
  logFormerLines: 1000,
  logFormerMs: 10_000,
  problems: 20,
  languageCacheEntries: 256,
  bodyDepth: 32,
  /** Keys of one object and items of one array in a body, and both in the whole body. */
  bodyObjectKeys: 256,
  bodyArrayItems: 1024,
  bodyValues: 30_000,
  /** The same for a configuration of a whole home. */
  wholeHomeKeys: 1024,
  wholeHomeValues: 100_000,
  pageEvents: 1000,
  queryParameters: 64,
  addressBuckets: 4096,
  headers: 100,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,
  headerBytes: 16_384,
  /** Open connections: of a process, of one address, of one address before a key is shown, and of one user. */
  connections: 4096,
  connectionsPerAddress: 1024,
  strangersPerAddress: 512,
  connectionsPerUser: 128,
  /** How long a connection may wait with its first request before its address counts it. */
  headGraceMs: 500,
  /** How many files a process opens besides its connections. */
  filesBeside: 256,
  connectionCheckMs: 2000,
  socketSilenceMs: 120_000,
  closeGraceMs: 2000,
  closeCheckMs: 50,
  mdnsAddressesPerLink: 16,
  mdnsCheckMs: 15_000,
  mdnsRepeatMs: 1000,
  mdnsAnswersPerSecond: 20,
  mdnsRecordsPerSecond: 2000,
  /** How often the hub asks for sticks on the network, and how many services it keeps. */
  mdnsAskMs: 60_000,
  mdnsServices: 64,
} as const;
