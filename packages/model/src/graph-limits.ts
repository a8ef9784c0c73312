/** Limits of the Graph API of the cloud; part of `limits`. */
export const graphLimits = {
  graphBodyBytes: 1_048_576,
  /** How many requests one user may make, over HTTP and connections together, and for how many users that is counted. */
  graphRequestsPerMinute: 600,
  graphUsers: 100_000,
  correlationIdChars: 128,
  /** A register's id (platform-api 2.3). */
  registerIdMinChars: 3,
  registerIdMaxChars: 64,
  /** The largest answer of a hub to a call of the cloud, and how long the key of such a call is valid. */
  hubAnswerBytes: 8_388_608,
  /** The same for all answers that are collected at once: in all, and of one user. */
  hubAnswersBytes: 536_870_912,
  hubAnswersBytesPerUser: 67_108_864,
  hubAnswerDepth: 64,
  hubAnswerValues: 2_000_000,
  hubCallKeyMs: 300_000,
  /** The end of `hubCallKeyMs` in which a key is no longer used, because the hub's clock may be ahead. */
  hubCallKeySpareMs: 60_000,
  hubCallKeys: 20_000,
  /** How much of a hub's own message an error repeats. */
  hubMessageChars: 500,
  /** Operations of one account: open ones, and all that are kept; beyond it the oldest that has ended goes. */
  operationsOpen: 1000,
  operationsKept: 5000,
  /** How long an operation that has ended is kept, and how often the cloud looks for older ones. */
  operationKeptMs: 604_800_000,
  operationSweepMs: 3_600_000,
  /** How long a hub that restarts may take until it answers anew. */
  hubRestartMs: 300_000,
  /** How long a hub may take to tell its whole home. */
  hubSyncMs: 900_000,
  /** The id of a device that a person adds to a register (platform-api 2.4). */
  newDeviceIdMinChars: 3,
  newDeviceIdMaxChars: 50,
  /** Texts of a device in a register, and its tags (platform-api 2.4). */
  deviceTextChars: 100,
  tags: 50,
  tagKeyChars: 64,
  tagValueChars: 256,
  /** Free-form configuration of a device, as JSON. */
  deviceConfigurationBytes: 65_536,
  /** The command in an Execute: its bytes, and characters of their base64. */
  executeBytes: 65_536,
  executePayloadChars: 87_384,
  /** How long the cloud follows a command to its device. */
  executeTrackMs: 300_000,
  /** How long one question about a command waits at the hub, how many of one user do, and the pause after each. */
  executeWaitS: 20,
  executeTrackedAtOnce: 8,
  executeRetryMs: 1000,
  /** How often a change of a row in a register is tried when batches of its hub arrive meanwhile. */
  registerRewrites: 20,
  /** When what the cloud does by itself is tried again after a failure: first, and at the longest. */
  retryMinMs: 1000,
  retryMaxMs: 300_000,
} as const;
