import { pastLimits } from "./past-limits.ts";
import { ruleLimits } from "./rule-limits.ts";

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
  tokenChars: 8192,
  sseClients: 16,
  sseBufferEvents: 1000,
  sseHeartbeatMs: 15_000,
  sseChunkEvents: 500,
  logReaders: 4,
  logRingBytes: 262_144,
  logLineChars: 4000,
  logChunkChars: 16_384,
  logFormerLines: 1000,
  logFormerMs: 10_000,
  problems: 20,
  languageCacheEntries: 256,
  bodyDepth: 32,
  pageEvents: 1000,
  queryParameters: 64,
  addressBuckets: 4096,
  headers: 100,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,
  headerBytes: 16_384,
  connections: 4096,
  connectionCheckMs: 2000,
  socketSilenceMs: 120_000,
  closeGraceMs: 2000,
  closeCheckMs: 50,
  mdnsCheckMs: 15_000,
  mdnsRepeatMs: 1000,
  mdnsAnswersPerSecond: 20,
  mdnsRecordsPerSecond: 2000,

  // the log and the kernel
  blockBytes: 65_536,
  trialRoomBytes: 67_108_864,
  commitBytes: 8_388_608,
  batchEvents: 10_000,
  queueItems: 20_000,
  clockLeadMs: 1000,
  clockJumpMs: 60_000,
  clockCheckMs: 5000,
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
  notesKept: 1000,
  noteRetryMs: 5000,

  // backups
  backupPassphraseChars: 8,
  backupSectionBytes: 33_554_432,
  backupFileBytes: 16_777_216,
  backupHashBytes: 268_435_456,
  /** Backups of a locked configuration that a data folder keeps. */
  lockBackups: 3,

  // starting, and room on the disk
  logTaskSilenceMs: 120_000,
  logTaskProgressMs: 1000,
  logTaskHeapMb: 512,
  deathSoonMs: 60_000,
  deathsToSafeMode: 5,
  /** Commits that are missing for which a damaged log's files are gone through once, some 300 bytes of memory each. */
  salvageCommits: 200_000,
  /** Heads of commits that are looked at where something is damaged. */
  salvageHeads: 100_000,
  /** What is kept of what a program has said that the hub ran and that failed. */
  programOutputChars: 1000,
  /** What was lost with a damaged end is believed to have been written in this time behind what is left. */
  lostSpanMs: 86_400_000,
  reserveBytes: 25_165_824,
  reserveAgainBytes: 33_554_432,
  spaceCheckMs: 5000,

  // retention
  telemetryDays: 30,
  logBytes: 536_870_912,
  /** On a full disk telemetry is pruned until the log's file takes so much without growing: twice the journal. */
  reliefBytes: 8_388_608,
  /** Links of causes that are kept with an event. */
  causeLinks: 8,
  /** How often a guard is asked again, with other readings, what kept it from holding. */
  whyGuardQuestions: 500,
  /** Rules of which it is told why they did not act, of all that drive a device. */
  whyRules: 16,
  /** Events before the end of a timer among which the one is looked for that set it. */
  whyTimerEvents: 20_000,
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

  ...pastLimits,

  // objects
  idChars: 128,
  nameChars: 128,
  rooms: 1000,
  roomOrder: 1_000_000,
  groups: 1000,
  groupMembers: 1000,
  /** The highest address that a Zigbee group may have; those above it are reserved. */
  groupAddress: 0xfff7,
  devices: 20_000,
  users: 1000,
  alarms: 200,
  alarmFactChars: 300,
  scenes: 500,
  scenePresets: 100,
  sceneTargets: 1000,
  sceneTimes: 32,
  requiredScenes: 16,
  cronChars: 128,
  /** A TIME_RANGE as JSON. */
  timeRangeChars: 1024,
  /** How long before or after an event of the sun a time may be. */
  sunOffsetMs: 43_200_000,
  /** Edges of time ranges that are caught up with after a time without the hub: the newest ones. */
  scheduleEdges: 1000,
  rules: 10_000,
  ruleScenes: 64,
  ruleTimers: 32,
  ruleFields: 64,
  ruleFieldValues: 256,
  /** A CONFIG as JSON: values of types that nobody knows may be anything. */
  ruleConfigChars: 65_536,
  /** For how long (ms) what a person or a scene has set is left alone by rules. */
  holdMs: 7_200_000,
  safetyHoldMs: 86_400_000,
  /** How old (ms) a device's word may be to spare it a command to do what it does already. */
  believedMs: 600_000,
  /** For how long (ms) after a command what its device reports may be on the way to what it was told. */
  echoMs: 10_000,
  /** How often a machine of a rule may command something within a minute, and steps of it that may throw one after the other. */
  ruleFiringsPerMinute: 30,
  ruleFaults: 3,
  ...ruleLimits,
  zones: 200,
  deviceZones: 16,
  colors: 64,
  alerts: 500,
  alertMs: 604_800_000,
  configurationItems: 200,
  configurationOptions: 200,
  configurationTextChars: 1024,
  /** Changes of one device's settings that wait for its answer. */
  configurationsPending: 16,
  /** Instances of BACnet objects end here: the next number stands for none. */
  bacnetInstance: 4_194_302,
  bacnetNameChars: 64,

  // users
  presenceMs: 15_000,
  /** How long a client may be silent before its user counts as away, until the user says otherwise. */
  awayThresholdMs: 1_800_000,
  awayThresholdMinMs: 60_000,
  awayThresholdMaxMs: 604_800_000,
  uiDevicesPerUser: 16,
  uiDevices: 500,
  emailChars: 254,
  phoneChars: 32,
  forgottenKeys: 10_000,
  activationCodeChars: 512,
  activations: 200,
  claimWindowMs: 1_800_000,
  /** How long keys are good for: those that an issuer signs, those of the hub itself; and activation codes. */
  hubKeyMs: 7_776_000_000,
  recoveredKeyMs: 86_400_000,
  activationCodeMs: 2_592_000_000,

  // the cloud
  cloudLogBytes: 8_589_934_592,
  accounts: 100_000,
  hubs: 100_000,
  hubFeatures: 256,
  versionChars: 32,
  /** How often a hub that nothing changes of is noted as seen. */
  hubSeenMs: 86_400_000,
  /** How long a one-time password is good for, how often one may be wrong, and its characters. */
  loginMs: 900_000,
  loginTries: 5,
  loginChars: 6,
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
  /** How often a cloud looks whether its certificate is another, and for how long browsers insist on TLS. */
  certificateCheckMs: 10_000,
  strictTransportMs: 31_536_000_000,
  /** What one caller's address may ask of a cloud altogether. */
  cloudRequestsPerMinute: 600,
  /** How often one address of the network, and one of mail, may do what is worth guessing at, in `allowanceMs`. */
  allowanceMs: 900_000,
  allowances: 50_000,
  loginRequestsPerCaller: 30,
  loginRequestsPerEmail: 5,
  loginAttemptsPerCaller: 60,
  loginAttemptsPerEmail: 30,
  passwordAttemptsPerCaller: 30,
  passwordAttemptsPerEmail: 10,
  challengesPerCaller: 120,
  claimsPerCaller: 30,
  claimsPerEmail: 10,
  invitationsPerCaller: 60,
  invitationsPerEmail: 5,
  acceptancesPerCaller: 30,
  /** Addresses in its own network that a hub tells, and those that one answer gives. */
  lanAddressesPerHub: 8,
  lanAddresses: 64,
  /** Mails that are on their way to the mail server. */
  mailsSending: 64,
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
  tunnelPingMs: 20_000,
  tunnelSilenceMs: 10_000,
  tunnelDialMs: 15_000,
  tunnelBackoffMinMs: 1000,
  tunnelBackoffMaxMs: 120_000,
  /** A tunnel that stood for so long was none to be wary of: the next dial comes soon. */
  tunnelSteadyMs: 60_000,
  /** A hub whose tunnel was lost not longer ago is only not connected: it is dialling. */
  hubOfflineMs: 180_000,
  relayAnswerMs: 60_000,
  /** Calls through the relay that differ by nothing are one event in this time. */
  remoteCallMs: 60_000,
  /** How many that do differ are told apart in it: those of known callers, and those of all others. */
  remoteCallKinds: 128,
  unknownCallKinds: 16,

  // messages
  /** Messages that wait to be sent. */
  messagesQueued: 200,
  messageParameters: 16,
  /** What a source may say at once, and how long it takes to gain one more: at most 20 in any hour. */
  messageBurst: 10,
  messageRefillMs: 360_000,
  /** A message that could not be sent for so long is given up. */
  messageAgeMs: 21_600_000,
  /** How often a message is tried that is not taken although others are. */
  messageTries: 10,
  messageBackoffMinMs: 1000,
  messageBackoffMaxMs: 300_000,
  channelTimeoutMs: 15_000,
  channelAnswerBytes: 65_536,
  subjectChars: 150,

  // prices
  /** Slots of one SET_PRICES. */
  priceSlots: 1000,
  priceSlotMs: 900_000,
  /** What is kept: from the beginning of yesterday to the end of the second day ahead, whatever the time zone. */
  pricesPastMs: 172_800_000,
  pricesAheadMs: 259_200_000,
  /** Of a file or an answer with prices. */
  priceBytes: 1_048_576,
  priceTimeoutMs: 30_000,
  priceCheckMs: 60_000,
  /** Hubs ask for tomorrow's prices spread over this time. */
  priceJitterMs: 900_000,
  priceRetryMinMs: 300_000,
  priceRetryMaxMs: 3_600_000,
  /** How long tomorrow's prices may be late before users are told. */
  pricesLateMs: 14_400_000,

  // autoconfiguration
  autoConfigRuns: 8,
  autoConfigQueue: 8,
  autoConfigDevices: 1000,
  autoConfigDeviceCommands: 10,
  autoConfigVariables: 200,
  autoConfigPairMs: 20_000,

  // adapters
  reportCredits: 256,
  pulseQueue: 4096,
  levelQueue: 65_536,
  earlyReports: 64,
  adapterMessageBytes: 1_048_576,
  adapterCallsUnderWay: 1000,
  adapterValueBytes: 65_536,
  protocolCommandChars: 64,
  nativeChars: 256,
  deviceCapabilities: 64,
  deviceExtrasChars: 8192,
  adapterPingMs: 5000,
  adapterSilenceMs: 20_000,
  adapterStartMs: 120_000,
  adapterStopMs: 5000,
  adapterMemoryMb: 256,
  adapterOutputChars: 2000,
  adapterOutputMs: 500,
  adapterBackoffMinMs: 1000,
  adapterBackoffMaxMs: 300_000,
  adapterFailures: 5,
  adapterFailureWindowMs: 600_000,
  commandTimeoutMs: 10_000,
  commandsQueued: 1000,
  commandChains: 4096,
  sendTimeoutMs: 5000,
  sendGuardMs: 2000,
  /** How long a command to a group waits for members that have not answered the one before. */
  castWaitMs: 500,
  refreshMs: 60_000,
  /** A device is out of reach for so long before users are told. */
  unreachableMs: 300_000,
  staleReportMs: 1000,
  requestMs: 10_000,
  /** Commands of one list that ask an adapter: they are asked one after the other, whoever still waits. */
  questionsPerRequest: 10,

  // firmware of devices
  /** Files in a folder of images, and bytes of one. */
  upgradeImages: 500,
  upgradeImageBytes: 8_388_608,
  /** Devices that one network upgrades at a time: each block takes the air from commands. */
  upgradesAtOnce: 3,
  // serial ports
  serialPorts: 256,
  serialPathChars: 1024,
  /** What is read of a text that hardware gives of itself. */
  serialTextBytes: 256,
  /** A stick that is plugged in appears bit by bit: how long nothing more may come before it is looked at. */
  serialSettleMs: 500,
  /** Ports are looked at so often where nothing tells of a change. */
  serialRescanMs: 30_000,

  // pairing
  ipProbeMs: 3000,
  scanLocalMs: 10_000,
  scanRemoteMs: 60_000,
  scanStepMs: 1000,
  scanFinds: 500,
} as const;

function assertRelation(holds: boolean, relation: string): void {
  if (!holds) throw new Error(`limits contradict each other: ${relation}`);
}

assertRelation(
  limits.adapterPingMs * 2 < limits.adapterSilenceMs,
  "a silent adapter misses more than one ping",
);
assertRelation(limits.adapterBackoffMinMs < limits.adapterBackoffMaxMs, "backoff grows");
assertRelation(limits.messageBackoffMinMs < limits.messageBackoffMaxMs, "a channel rests longer and longer");
assertRelation(limits.headerTimeoutMs < limits.requestTimeoutMs, "a head is a part of its request");
assertRelation(
  Math.max(limits.keepAliveMs, limits.requestTimeoutMs, limits.sseHeartbeatMs) < limits.socketSilenceMs,
  "a socket is silent for longer than anything that is waited for on it",
);
assertRelation(
  limits.logTaskProgressMs * 10 < limits.logTaskSilenceMs,
  "a process that reads a log says so several times before it is taken for stuck",
);
assertRelation(limits.osTimerMs < 2 ** 31, "an OS timer holds 31 bits of ms");
assertRelation(
  limits.sendTimeoutMs + limits.sendGuardMs < limits.commandTimeoutMs,
  "a command has time for a send that is not answered",
);
assertRelation(
  limits.challengeMs < limits.hubSessionMs && limits.hubSessionMs < limits.signingKeyLeadMs,
  "a hub has read the keys again before a new one signs",
);
assertRelation(limits.tunnelSilenceMs < limits.tunnelPingMs, "one ping is answered before the next");
assertRelation(
  limits.tunnelWindowBytes < limits.tunnelHeldBytes && limits.tunnelHeldBytes < limits.tunnelBytes,
  "a full window can be held, and a session has memory for it",
);
assertRelation(
  limits.tunnelStreams * (limits.tunnelPieceBytes + limits.tunnelStreamBytes) < limits.tunnelBytes,
  "all streams of a tunnel may stall and there is memory for what they hold",
);
assertRelation(
  limits.tunnelBackoffMaxMs < limits.hubOfflineMs,
  "a hub that runs has dialled again before it counts as offline",
);
assertRelation(limits.presenceMs < limits.awayThresholdMinMs, "whoever has a session is not away");
assertRelation(limits.requestMs < limits.requestTimeoutMs, "an adapter answers before its client gives up");
assertRelation(limits.scanStepMs * 2 < limits.scanLocalMs, "a refreshed scan goes on");
assertRelation(limits.reserveBytes < limits.reserveAgainBytes, "serving again takes more room than stopping");
assertRelation(limits.bodyBytes < limits.commitBytes, "a body fits a commit");
assertRelation(
  limits.commitBytes * 2 < limits.backupSectionBytes &&
    limits.backupFileBytes * 2 <= limits.backupSectionBytes,
  "a commit, or a file in base64, fits a section of a backup",
);
