/**
 * Every limit of the product in one place. Names end in their unit. A limit is tested at its edge where it
 * is enforced.
 */
export const limits = {
  // HTTP
  bodyBytes: 1_048_576,
  listItems: 1000,
  requestsPerMinutePerToken: 600,
  requestsPerMinutePerAddress: 20,
  tokenCacheEntries: 2048,
  sseClients: 16,
  sseBufferEvents: 1000,
  sseHeartbeatMs: 15_000,
  bodyDepth: 32,
  queryParameters: 64,
  addressBuckets: 4096,
  headers: 100,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,

  // the log and the kernel
  commitBytes: 8_388_608,
  batchEvents: 10_000,
  queueItems: 20_000,
  clockLeadMs: 1000,
  clockJumpMs: 60_000,
  cascadeDepth: 8,
  cascadeCommands: 1000,
  tombstones: 10_000,
  telemetryWindowMs: 250,
  snapshotCommits: 5000,
  fullPollSliceEntries: 500,
  osTimerMs: 3_600_000,
  timers: 100_000,
  timerGraceMs: 5000,
  settleMs: 60_000,
  lastSeenLoggedMs: 600_000,

  // retention
  telemetryDays: 30,
  logBytes: 536_870_912,
  /** Free space (bytes) below which telemetry is pruned: 16 MiB and twice the journal. */
  diskReserveBytes: 25_165_824,
  /** Links of causes that are kept with an event. */
  causeLinks: 8,
  /** Events between two bases: what reading the past replays at most. */
  baseEvents: 100_000,
  /** Bytes of frames that one compaction goes through behind the horizon. */
  compactionBytes: 16_777_216,
  retentionCheckMs: 60_000,
  /** Age prunes at most once in this time, and forgets at most this much of the log then. */
  agePruneMs: 3_600_000,
  agePrunePercent: 5,
  /** Telemetry is pruned by age when it is this much older than it may be: each time all that is kept is rewritten. */
  ageStepMs: 86_400_000,
  /** An exceeded quota is pruned down to this much of it. */
  quotaPrunedPercent: 90,
  retentionSliceEvents: 100,

  // objects
  nameChars: 128,
  rooms: 1000,
  groups: 1000,
  groupMembers: 1000,
  devices: 20_000,
  users: 1000,

  // users
  presenceMs: 15_000,

  // adapters
  reportCredits: 256,
  pulseQueue: 4096,
  levelQueue: 65_536,
  adapterPingMs: 5000,
  adapterSilenceMs: 20_000,
  adapterBackoffMinMs: 1000,
  adapterBackoffMaxMs: 300_000,
  adapterFailures: 5,
  adapterFailureWindowMs: 600_000,
  commandTimeoutMs: 10_000,
  commandsQueued: 1000,
} as const;

function assertRelation(holds: boolean, relation: string): void {
  if (!holds) throw new Error(`limits contradict each other: ${relation}`);
}

assertRelation(
  limits.adapterPingMs * 2 < limits.adapterSilenceMs,
  "a silent adapter misses more than one ping",
);
assertRelation(limits.adapterBackoffMinMs < limits.adapterBackoffMaxMs, "backoff grows");
assertRelation(limits.osTimerMs < 2 ** 31, "an OS timer holds 31 bits of ms");
assertRelation(limits.bodyBytes < limits.commitBytes, "a body fits a commit");
