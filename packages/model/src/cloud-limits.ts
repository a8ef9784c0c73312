/** Limits of the cloud, the tunnel and the relay; part of `limits`. */
export const cloudLimits = {
  cloudLogBytes: 8_589_934_592,
  accounts: 100_000,
  hubs: 100_000,
  hubFeatures: 256,
  versionChars: 32,
  /** How often an unchanged hub is noted as seen. */
  hubSeenMs: 86_400_000,
  /**
   * How long a one-time password is valid, and the lengths of the two in a mail: a short one, which could be
   * guessed, and a long one, which cannot.
   */
  loginMs: 900_000,
  loginChars: 6,
  loginLongChars: 20,
  /** How many passwords of one address are valid at the same time: as many as mails may be sent at once. */
  loginPasswords: 12,
  /** Wrong tries: for each place that asked for a password, and for all other places together. */
  loginTries: 5,
  loginTriesOfOthers: 10,
  loginsPending: 50_000,
  /** How many old logins a request checks for expiry. */
  loginsSwept: 16,
  passwordMinChars: 10,
  passwordMaxChars: 256,
  /** How many fixed passwords are hashed at once, how much memory each takes, and how many may wait. */
  passwordHashes: 2,
  passwordHashBytes: 19_922_944,
  passwordsWaiting: 64,
  cloudTokenMs: 2_419_200_000,
  /** How many verified tokens of each kind a cloud caches. */
  cloudTokensVerified: 20_000,
  sessionsPerAccount: 50,
  invitationMs: 604_800_000,
  invitationsPerHub: 50,
  /** How many invitations one user sees, as any hub may send some. */
  invitationsShown: 100,
  /** How many unsigned nonces there are for hubs, and how long one is valid. */
  challenges: 10_000,
  challengeMs: 60_000,
  hubSessionMs: 3_600_000,
  /** How long a new signing key is published before it signs; hubs read the keys at least that often. */
  signingKeyLeadMs: 172_800_000,
  signingKeys: 16,
  authorizationListChars: 1_048_576,
  /** How long a hub waits for its cloud, and how often it reads the list of its users without a notification. */
  cloudTimeoutMs: 15_000,
  authorizationsReadMs: 3_600_000,
  cloudBodyBytes: 65_536,
  /** Open connections of a cloud: tunnels of hubs, and streams of users. Those of one caller are as at a hub. */
  cloudConnections: 65_536,
  /** How often the files of a certificate are checked, and for how long browsers insist on TLS. */
  certificateCheckMs: 10_000,
  /**
   * How often a certificate is checked for expiry, and how much of its life may be left when it is time to
   * renew it.
   */
  certificateExpiryCheckMs: 900_000,
  certificateWarnMs: 1_209_600_000,
  certificateWarnPercent: 25,
  strictTransportMs: 31_536_000_000,
  /** How many requests without a credential one caller's address may make, apart from those counted below. */
  cloudActsPerMinute: 600,
  /**
   * How often one network address may make requests that could be guesses, in `allowanceMs`: in all, and for
   * one mail address. An IPv6 /48 has `allowanceSites` times the allowance of one of its /64. No caller can
   * use up another's allowance.
   */
  allowanceMs: 900_000,
  allowances: 50_000,
  allowanceSites: 4,
  loginRequestsPerCaller: 30,
  loginRequestsPerEmail: 5,
  loginAttemptsPerCaller: 60,
  loginAttemptsPerEmail: 30,
  passwordAttemptsPerCaller: 30,
  passwordAttemptsPerEmail: 10,
  /** From all addresses together; beyond it users log in by mail. */
  passwordAttemptsOfAll: 300,
  challengesPerCaller: 120,
  claimsPerCaller: 30,
  claimsPerEmail: 10,
  invitationsPerCaller: 60,
  invitationsPerEmail: 5,
  acceptancesPerCaller: 30,
  /**
   * How many permanent objects (hubs, and owners of hubs) one caller's address may create in a day. An IPv6
   * /48 has `allowanceSites` times as many.
   */
  newPerCallerADay: 128,
  /**
   * How much one account may add to the log in a day of events that are kept forever, and for how many
   * accounts that is counted.
   */
  accountLogBytesPerDay: 1_048_576,
  logShares: 50_000,
  /** How many addresses in its own network a hub reports, and how many one answer has. */
  lanAddressesPerHub: 8,
  lanAddresses: 64,
  /**
   * How many mails of each kind one address gets in `allowanceMs`: First counts the first mail of each asker,
   * Further all the others together. The asker of a login is a network, that of an invitation an account.
   */
  loginMailsFirst: 7,
  loginMailsFurther: 5,
  invitationMailsFirst: 4,
  invitationMailsFurther: 4,
  claimMailsFirst: 1,
  claimMailsFurther: 1,
  egressMailsFirst: 4,
  egressMailsFurther: 4,
  /**
   * How many mails may be on their way to the mail server, and how many when the next one has no password in
   * it.
   */
  mailsSending: 64,
  noticesSending: 32,
  mailLineChars: 1000,

  // Tunnel between hub and cloud, and relay
  /** How many requests one tunnel carries at once, and how many bytes of each may be under way unread. */
  tunnelStreams: 250,
  tunnelStreamBytes: 65_536,
  /**
   * The same for all requests of a tunnel together, the bytes that wait to be sent at one end, and the memory
   * of its session.
   */
  tunnelWindowBytes: 1_048_576,
  tunnelHeldBytes: 6_291_456,
  tunnelBytes: 67_108_864,
  /** The largest message of a WebSocket that carries a tunnel. */
  tunnelMessageBytes: 2_097_152,
  /** Answers go into the tunnel in pieces of this size, because whole ones would fill the session's memory. */
  tunnelPieceBytes: 32_768,
  /** How many requests of one user a tunnel carries at once, so that nobody takes all places. */
  tunnelStreamsPerUser: 100,
  /**
   * Cancelled requests in one tunnel: the burst, and the rate per second. Beyond it the hub considers the
   * cloud faulty.
   */
  tunnelCancels: 100_000,
  /**
   * Frames from a hub in this time (ms) that carry less than this much of an answer, apart from those that
   * requests cause.
   */
  tunnelFrames: 5000,
  tunnelFramesMs: 10_000,
  tunnelTinyBytes: 256,
  tunnelPingMs: 20_000,
  tunnelSilenceMs: 10_000,
  tunnelDialMs: 15_000,
  tunnelBackoffMinMs: 1000,
  tunnelBackoffMaxMs: 120_000,
  /** How late a process may be when it still lets hubs come that have no challenge, how often it looks, and when they ask again. */
  admitLateMs: 1000,
  latenessLookMs: 250,
  admitRetryS: 5,
  /** After a tunnel that stood this long, the hub dials again soon. */
  tunnelSteadyMs: 60_000,
  /** A hub whose tunnel was lost no longer ago than this is offline but dialling. */
  hubOfflineMs: 180_000,
  /** How long a tunnel may take to prove that its hub is alive, when another instance claims to be that hub. */
  cloneAnswerMs: 5000,
  /**
   * After a refusal because of another instance a hub dials again after this time, at random up to half of it
   * sooner.
   */
  cloneRetryMs: 300_000,
  /** After this time without a sign of the other instance a hub considers itself alone again. */
  cloneQuietMs: 900_000,
  /** How often the linked hub is told of the other instance. */
  cloneToldMs: 10_000,
  /** The length of an instance id; an instance is one run of one hub's process. */
  instanceChars: 64,
  relayAnswerMs: 60_000,
  /**
   * How many requests one user may make to one hub through the relay, cancelled ones included: as many as the
   * hub accepts.
   */
  relayRequestsPerMinute: 600,
  relayUsers: 100_000,
  /** How long an answer may continue after its client has left, before it is cancelled at the hub. */
  relayLeaveMs: 1000,
  /** Equal calls through the relay within this time become one event. */
  remoteCallMs: 60_000,
  /** How many different calls are told apart in that time: those of known callers, and those of all others. */
  remoteCallKinds: 128,
  unknownCallKinds: 16,
} as const;
