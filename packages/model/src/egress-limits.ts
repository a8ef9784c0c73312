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
} as const;
