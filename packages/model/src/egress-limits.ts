/** Limits of the egress of sites (platform-api 2.4, 6, 8); part of `limits`. */
export const egressLimits = {
  /** Targets of a site, and their ids. */
  egressTargets: 20,
  egressTargetIdMinChars: 3,
  egressTargetIdMaxChars: 50,
  egressUrlChars: 2048,
  /** Headers that a target adds to its requests. */
  egressHeaders: 32,
  egressHeaderNameChars: 64,
  egressHeaderChars: 4096,
  /** Events of a batch: at most, and where a target says nothing. */
  egressFetchMost: 10_000,
  egressFetchUsual: 10,
  /** How long an event waits for others of its batch. */
  egressWaitMinMs: 2,
  egressWaitMaxMs: 60_000,
  egressWaitUsualMs: 10,
  /** How long a receiver may take to answer. */
  egressTimeoutMinS: 1,
  egressTimeoutMaxS: 60,
  egressTimeoutUsualS: 30,
  /** How long the former secret of a target still signs, beside the new one. */
  egressSecretOverlapMs: 86_400_000,
  /** A batch: its bytes in the outbox, and how much of an answer to it is read. */
  egressBatchBytes: 1_048_576,
  egressAnswerBytes: 4096,
  /** How many batches a target may have got since the last position that the store began to write. */
  egressMovesAhead: 32,
  /** Requests under way: to receivers that answer quickly, that are new, that took longer than `egressSlowMs`, that fail. */
  egressAtOnce: 32,
  egressNewAtOnce: 16,
  egressSlowAtOnce: 16,
  egressFailingAtOnce: 16,
  egressSlowMs: 1000,
  /** Requests that took so long and let others have their place, and the bytes of their bodies. */
  egressOverdueAtOnce: 256,
  egressOverdueBytes: 67_108_864,
  /** How long a name server may take to answer, and how often it is asked. */
  egressLookupMs: 2500,
  egressLookupTries: 2,
  /** How long a connection is kept without a request. */
  egressIdleMs: 30_000,
  /** When a request that failed is sent again: the least, the most, and as long as a receiver may ask for. */
  egressBackoffMinMs: 1000,
  egressBackoffMaxMs: 600_000,
  egressRetryAfterMs: 3_600_000,
  /** How often a receiver must refuse a batch until it is a dead letter. */
  egressRefusals: 3,
  /** After how long without a success the log says that a target fails, and that the cloud disables it. */
  egressFailingNotedMs: 60_000,
  egressVainMs: 86_400_000,
  /** How long events and dead letters are kept, how many of a site and of a target, and the bytes of those of a site. */
  egressKeptMs: 604_800_000,
  egressKeptEvents: 100_000,
  egressKeptBytes: 268_435_456,
  egressDeadLetters: 1000,
  /** How often events that nobody waits for are deleted, and after how many events of a site at the latest. */
  egressSweepMs: 60_000,
  egressSweepEvents: 10_000,
  /** How many entities of all sites get the events of one device. */
  egressBindings: 20,
  /** How many events of the log wait to be put into outboxes, and after how many commits without any its place is stored. */
  egressFeedEvents: 1000,
  egressFeedCommits: 10_000,
  egressFeedRetryMs: 1000,
} as const;
