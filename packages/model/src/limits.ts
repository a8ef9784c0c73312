import { cloudLimits } from "./cloud-limits.ts";
import { httpLimits } from "./http-limits.ts";
import { pastLimits } from "./past-limits.ts";
import { ruleLimits } from "./rule-limits.ts";

/**
 * Every limit of the product in one place. Names end in their unit. A limit is tested at its edge where it
 * is enforced.
 */
export const limits = {
  ...httpLimits,

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
  /** Files of a data folder in one backup, and their bytes together. */
  backupFiles: 1000,
  backupFilesBytes: 67_108_864,
  /** Of what a backup says of itself, such as its release. */
  backupWordChars: 128,
  /** The newest moment (ms) that a date can name. */
  timestampMax: 8_640_000_000_000_000,
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

  // what one user may add to the log in a day: events that are kept for ever, and of a guest all events
  userLogBytesPerDay: 16_777_216,
  guestLogBytesPerDay: 4_194_304,

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
  /** Commands that came to nothing of which it is told beside the causes. */
  whyAttempts: 4,
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
  /** A compaction that frees less than this, and less than some percent of the log, is fruitless. */
  fruitBytes: 4_194_304,
  /** The quota waits so long before a fruitless compaction, twice as long after each, or until the log has grown. */
  fruitlessRestMs: 3_600_000,
  fruitlessRestMostMs: 86_400_000,
  fruitlessGrowthPercent: 10,
  /** Bytes before the horizon that one compaction rewrites at most: what it takes of memory. */
  rewriteBytes: 33_554_432,

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

  ...cloudLimits,

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
  /** What is said of a source of prices that cannot be read. */
  priceProblemChars: 300,
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
  /** An adapter that has not run for so long is away: its devices cannot be reached. */
  adapterAwayMs: 3000,
  /** As `adapterAwayMs`, of one that has never run since it was begun and has not failed: it may just be slow. */
  adapterFirstStartMs: 30_000,
  /** So long a request waits for adapters that start for the first time: what a hub lacks has an empty answer. */
  offersKnownMs: 10_000,
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
  /** An upgrade of which nothing is heard for so long has failed: adapters give a silent device up in minutes. */
  upgradeSilentMs: 1_800_000,
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
assertRelation(
  limits.cloneAnswerMs < limits.tunnelDialMs,
  "a hub waits for its tunnel while another one is asked whether it is there",
);
assertRelation(
  limits.cloneRetryMs * 2 < limits.cloneQuietMs,
  "a hub that is refused is heard of before it counts as gone",
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
