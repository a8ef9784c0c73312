/** Limits of the cloud, the tunnel and the relay; part of `limits`. */
export const cloudLimits = {
  cloudLogBytes: 8_589_934_592,
  accounts: 100_000,
  hubs: 100_000,
  hubFeatures: 256,
  versionChars: 32,
  /** How often a hub that nothing changes of is noted as seen. */
  hubSeenMs: 86_400_000,
  /**
   * How long a one-time password is good for, and its characters: of the short one, which may be guessed wrong, and of
   * the long one in the same mail, which nobody guesses.
   */
  loginMs: 900_000,
  loginChars: 6,
  loginLongChars: 20,
  /** Passwords of one address that are good at the same time: as many as are mailed at once. */
  loginPasswords: 12,
  /** Wrong tries from where a password was asked for, of each; and those from anywhere else, of all together. */
  loginTries: 5,
  loginTriesOfOthers: 10,
  loginsPending: 50_000,
  /** How many logins a request looks at to take away what has expired. */
  loginsSwept: 16,
  passwordMinChars: 10,
  passwordMaxChars: 256,
  /** Fixed passwords that are hashed at once, each in so much memory, and those that wait for it. */
  passwordHashes: 2,
  passwordHashBytes: 19_922_944,
  passwordsWaiting: 64,
  cloudTokenMs: 2_419_200_000,
  /** Tokens that a cloud remembers as verified, of each kind. */
  cloudTokensVerified: 20_000,
  sessionsPerAccount: 50,
  invitationMs: 604_800_000,
  invitationsPerHub: 50,
  /** Invitations that somebody is shown: any hub may invite. */
  invitationsShown: 100,
  /** Nonces that hubs have asked for and not signed yet, and how long one is good for. */
  challenges: 10_000,
  challengeMs: 60_000,
  hubSessionMs: 3_600_000,
  /** A new signing key is published for so long before it signs: hubs read the keys again within it. */
  signingKeyLeadMs: 172_800_000,
  signingKeys: 16,
  authorizationListChars: 1_048_576,
  /** How long a hub waits for its cloud, and how often it reads the list of its users without being told to. */
  cloudTimeoutMs: 15_000,
  authorizationsReadMs: 3_600_000,
  cloudBodyBytes: 65_536,
  /** How often the files of a certificate are looked at, and for how long browsers insist on TLS. */
  certificateCheckMs: 10_000,
  /** How often it is asked whether a certificate has expired; it is time to renew one when so much of its life is left. */
  certificateExpiryCheckMs: 900_000,
  certificateWarnMs: 1_209_600_000,
  certificateWarnPercent: 25,
  strictTransportMs: 31_536_000_000,
  /** What one caller's address may do at a cloud without a credential, beside what is counted below. */
  cloudActsPerMinute: 600,
  /**
   * How often one address of the network may do what is worth guessing at, in `allowanceMs`: at all, and about one address
   * of mail. An IPv6 /48 has `allowanceSites` times as much as one of its /64. Nobody spends another caller's allowance.
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
  /** From wherever: who has run into it logs in with a mail. */
  passwordAttemptsOfAll: 300,
  challengesPerCaller: 120,
  claimsPerCaller: 30,
  claimsPerEmail: 10,
  invitationsPerCaller: 60,
  invitationsPerEmail: 5,
  acceptancesPerCaller: 30,
  /**
   * What one caller's address may bring into being in a day that stays for ever: hubs, and owners of hubs. An IPv6 /48 has
   * `allowanceSites` times as much.
   */
  newPerCallerADay: 128,
  /** What one account may add to the log in a day of events that are kept for ever, and of how many that is known. */
  accountLogBytesPerDay: 1_048_576,
  logShares: 50_000,
  /** Addresses in its own network that a hub tells, and those that one answer gives. */
  lanAddressesPerHub: 8,
  lanAddresses: 64,
  /**
   * Mails to one address in `allowanceMs`, of each kind: those for so many askers, and what all of them may ask for
   * besides. Who asks for a password is a caller's network, who invites is an account.
   */
  loginMailsFirst: 7,
  loginMailsFurther: 5,
  invitationMailsFirst: 4,
  invitationMailsFurther: 4,
  claimMailsFirst: 1,
  claimMailsFurther: 1,
  /** Mails that are on their way to the mail server, and how many there may be for one more that holds no password. */
  mailsSending: 64,
  noticesSending: 32,
  mailLineChars: 1000,

  // the tunnel between hub and cloud, and the relay
  /** Requests under way in one tunnel, and what each may have on its way before its reader has taken it. */
  tunnelStreams: 250,
  tunnelStreamBytes: 65_536,
  /** The same for all of a tunnel together, what waits at one end to be sent, and the memory of its session. */
  tunnelWindowBytes: 1_048_576,
  tunnelHeldBytes: 2_097_152,
  tunnelBytes: 67_108_864,
  /** An answer goes into the tunnel in pieces of this size: whole ones would fill its session's memory. */
  tunnelPieceBytes: 32_768,
  /** Requests of one user that are under way in one tunnel: nobody takes all places. */
  tunnelStreamsPerUser: 100,
  /** Requests that are cancelled in one tunnel, at once and then in a second: beyond, the hub takes the cloud for ill. */
  tunnelCancels: 100_000,
  /** Frames of a hub in this time (ms) that carry less than so much of an answer, beside those that requests lead to. */
  tunnelFrames: 5000,
  tunnelFramesMs: 10_000,
  tunnelTinyBytes: 256,
  tunnelPingMs: 20_000,
  tunnelSilenceMs: 10_000,
  tunnelDialMs: 15_000,
  tunnelBackoffMinMs: 1000,
  tunnelBackoffMaxMs: 120_000,
  /** A tunnel that stood for so long was none to be wary of: the next dial comes soon. */
  tunnelSteadyMs: 60_000,
  /** A hub whose tunnel was lost not longer ago is only not connected: it is dialling. */
  hubOfflineMs: 180_000,
  /** How long a tunnel is waited for to show that its hub is there, when another one says that it is that hub. */
  cloneAnswerMs: 5000,
  /** A hub that is refused for another one of its identity dials again after so long, at random up to half sooner. */
  cloneRetryMs: 300_000,
  /** After so long without a word of the other one a hub is taken to be alone again. */
  cloneQuietMs: 900_000,
  /** How often the hub that has the link is told of the other one. */
  cloneToldMs: 10_000,
  /** An instance is one run of one hub's process. */
  instanceChars: 64,
  relayAnswerMs: 60_000,
  /** What one user may ask of one hub through the relay, requests that they cancel included: as much as the hub takes. */
  relayRequestsPerMinute: 600,
  relayUsers: 100_000,
  /** An answer whose client has left may take so long before it is cancelled at the hub. */
  relayLeaveMs: 1000,
  /** Calls through the relay that differ by nothing are one event in this time. */
  remoteCallMs: 60_000,
  /** How many that do differ are told apart in it: those of known callers, and those of all others. */
  remoteCallKinds: 128,
  unknownCallKinds: 16,
} as const;
