import { cloudLimits } from "./cloud-limits.ts";
import { egressLimits } from "./egress-limits.ts";
import { graphLimits } from "./graph-limits.ts";
import { fleetLimits } from "./fleet-limits.ts";
import { httpLimits } from "./http-limits.ts";
import { oauthLimits } from "./oauth-limits.ts";
import { keyLimits } from "./key-limits.ts";
import { pastLimits } from "./past-limits.ts";
import { pushLimits } from "./push-limits.ts";
import { replicationLimits } from "./replication-limits.ts";
import { ruleLimits } from "./rule-limits.ts";
import { sharingLimits } from "./sharing-limits.ts";
import { siteLimits } from "./site-limits.ts";
import { tenancyLimits } from "./tenancy-limits.ts";

/** All limits of the product. Names end in their unit. Each limit is tested exactly where it is enforced. */
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
  /** Events that wait in memory for a reader who follows the log; beyond it the reader reads the log instead. */
  followedEvents: 1000,
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
  /** Files of a data folder in one backup, and the bytes of all of them. */
  backupFiles: 1000,
  backupFilesBytes: 67_108_864,
  /** Length of the words in a backup's header, such as its release. */
  backupWordChars: 128,
  /** The latest time (ms) that a date can represent. */
  timestampMax: 8_640_000_000_000_000,
  /** Backups of a locked configuration that a data folder keeps. */
  lockBackups: 3,
  /** Backups that the hub keeps for people who asked for one, and when to ask again while one is being made (s). */
  askedBackups: 3,
  backupAgainS: 5,
  backupPassphraseMostChars: 1024,

  // starting, and room on the disk
  logTaskSilenceMs: 120_000,
  logTaskProgressMs: 1000,
  logTaskHeapMb: 512,
  deathSoonMs: 60_000,
  deathsToSafeMode: 5,
  /**
   * For up to this many missing commits the files of a damaged log are searched once; each takes some 300
   * bytes of memory.
   */
  salvageCommits: 200_000,
  /** Possible commit headers to check where the log is damaged. */
  salvageHeads: 100_000,
  /** How much output of a failed program the hub keeps. */
  programOutputChars: 1000,
  /** Kinds of events and frames that a bundle with a release may name. */
  updateFormats: 5000,
  /** How much RAUC may say of the machine's slots. */
  updateStatusChars: 65_536,
  /** A path of a file, as Linux limits it. */
  pathChars: 4096,
  updateBundleBytes: 1_073_741_824,
  updateFeedChars: 16_384,
  /** A feed or a bundle of which nothing comes for this long is given up. */
  updateSilenceMs: 60_000,
  /** A new release is kept when it has served for this long; it is looked at every `updateLookMs`. */
  updateTrialMs: 60_000,
  updateLookMs: 1000,
  /** The hub looks into its feed this long after its start, and then as often. */
  updateFirstCheckMs: 600_000,
  updateCheckMs: 86_400_000,
  /** How often the hub asks for the slots when it starts. */
  updateStartTries: 5,
  /** An update tells of its progress in steps of this many percent. */
  updatePercentStep: 5,
  /** A damaged end of the log is assumed to cover this time after its readable part. */
  lostSpanMs: 86_400_000,
  reserveBytes: 25_165_824,
  reserveAgainBytes: 33_554_432,
  spaceCheckMs: 5000,
  /** With less free room on the disk, or less memory left, the hub's health says so. */
  diskLowBytes: 67_108_864,
  memoryLowBytes: 33_554_432,

  // what one user may add to the log in a day: only events that are kept forever count, but all events of a guest
  userLogBytesPerDay: 16_777_216,
  guestLogBytesPerDay: 4_194_304,

  /** JSON that clients keep for a user, or for the home. */
  preferencesBytes: 16_384,

  // retention
  telemetryDays: 30,
  logBytes: 536_870_912,
  /**
   * On a full disk, telemetry is pruned until the log's file can take this much without growing: twice the
   * journal.
   */
  reliefBytes: 8_388_608,
  /** Links of the chain of causes that are kept with an event. */
  causeLinks: 8,
  /** How often a guard is evaluated again with other readings to find what kept it from holding. */
  whyGuardQuestions: 500,
  /** Rules of a device that "why not" explains. */
  whyRules: 16,
  /** Failed commands that "why" lists besides the causes. */
  whyAttempts: 4,
  /** Events before the end of a timer in which "why" searches for what set it. */
  whyTimerEvents: 20_000,
  /** Events between two bases: the most that a question about the past replays. */
  baseEvents: 100_000,
  /** Bytes of frames that one compaction reads past the horizon. */
  compactionBytes: 16_777_216,
  retentionCheckMs: 60_000,
  /** Pruning by age happens at most once in this time, and forgets at most this much of the log. */
  agePruneMs: 3_600_000,
  agePrunePercent: 5,
  /** Telemetry is pruned by age when it is this much too old, because each pruning rewrites all that is kept. */
  ageStepMs: 86_400_000,
  /** An exceeded quota is pruned down to this percentage. */
  quotaPrunedPercent: 90,
  retentionSliceEvents: 100,
  /** A compaction that frees less than this, and less than this percentage of the log, is fruitless. */
  fruitBytes: 4_194_304,
  /**
   * After a fruitless compaction the quota waits this long, twice as long after each further one, or until
   * the log has grown.
   */
  fruitlessRestMs: 3_600_000,
  fruitlessRestMostMs: 86_400_000,
  fruitlessGrowthPercent: 10,
  /** Bytes before the horizon that one compaction rewrites at most, which bounds its memory. */
  rewriteBytes: 33_554_432,

  ...pastLimits,

  // objects
  idChars: 128,
  nameChars: 128,
  rooms: 1000,
  roomOrder: 1_000_000,
  groups: 1000,
  groupMembers: 1000,
  /** Commands at a Zigbee stick at once: at least, with a stick of an unknown kind at first, and at most. */
  zigbeeWindowLeast: 2,
  zigbeeWindowUsual: 4,
  zigbeeWindowMost: 32,
  /** The highest address of a Zigbee group; higher ones are reserved. */
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
  /** Characters of a TIME_RANGE as JSON. */
  timeRangeChars: 1024,
  /** The longest time before or after a sun event. */
  sunOffsetMs: 43_200_000,
  /** Missed edges of time ranges that are caught up with: the newest ones. */
  scheduleEdges: 1000,
  rules: 10_000,
  ruleScenes: 64,
  ruleTimers: 32,
  ruleFields: 64,
  ruleFieldValues: 256,
  /** Characters of a CONFIG as JSON; values of unknown types may be anything. */
  ruleConfigChars: 65_536,
  /** How long (ms) the hold of a person or a scene keeps rules away. */
  holdMs: 7_200_000,
  safetyHoldMs: 86_400_000,
  /** How recent (ms) a device's report must be to spare it a command for its present state. */
  believedMs: 600_000,
  /** How long (ms) after a command its device's reports may be on the way to the commanded state. */
  echoMs: 10_000,
  /** Commands of a rule's machine within a minute, and failing steps of it in a row. */
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
  /** Changes of one device's settings that may await its answer. */
  configurationsPending: 16,
  /** Mappings and networks of the Modbus TCP server, its clients, and what one may have open with it. */
  modbusMappings: 4096,
  modbusAllowed: 32,
  modbusAttributeChars: 80,
  modbusClients: 50,
  modbusIdleMs: 600_000,
  modbusUnreadBytes: 65_536,
  /** Commands to devices that the writes of one client make. */
  modbusCommandsPerMinute: 600,
  /** The highest instance number of a BACnet object; the next number means none. */
  bacnetInstance: 4_194_302,
  bacnetNameChars: 64,

  // users
  presenceMs: 15_000,
  /** How long a client may be silent before its user counts as away; users can change it. */
  awayThresholdMs: 1_800_000,
  awayThresholdMinMs: 60_000,
  awayThresholdMaxMs: 604_800_000,
  uiDevicesPerUser: 16,
  uiDevices: 500,
  emailChars: 256,
  phoneChars: 32,
  forgottenKeys: 10_000,
  activationCodeChars: 512,
  activations: 200,
  claimWindowMs: 1_800_000,
  /** How long keys are valid: those that an issuer signs, those of the hub itself, and activation codes. */
  hubKeyMs: 7_776_000_000,
  recoveredKeyMs: 86_400_000,
  activationCodeMs: 2_592_000_000,

  ...keyLimits,
  ...cloudLimits,
  ...egressLimits,
  ...graphLimits,
  ...oauthLimits,
  ...pushLimits,
  ...replicationLimits,
  ...sharingLimits,
  ...fleetLimits,
  ...tenancyLimits,
  ...siteLimits,

  // messages
  /** Messages that may wait to be sent. */
  messagesQueued: 200,
  /** Servers to which messages go, of all users. */
  messageTargets: 32,
  targetTokenChars: 1024,
  messageParameters: 16,
  /**
   * Messages that a source may send in a burst, and the time that it takes to gain one more: at most 20 in
   * any hour.
   */
  messageBurst: 10,
  messageRefillMs: 360_000,
  /** A message that could not be sent for this long is dropped. */
  messageAgeMs: 21_600_000,
  /** How often a message is retried that fails while others succeed. */
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
  /** Prices are kept from the beginning of yesterday to the end of the day after tomorrow, in any time zone. */
  pricesPastMs: 172_800_000,
  pricesAheadMs: 259_200_000,
  /** Characters of the message about an unreadable source of prices. */
  priceProblemChars: 300,
  /** Bytes of a file or an answer with prices. */
  priceBytes: 1_048_576,
  priceTimeoutMs: 30_000,
  priceCheckMs: 60_000,
  /** Hubs spread their requests for tomorrow's prices over this time. */
  priceJitterMs: 900_000,
  priceRetryMinMs: 300_000,
  priceRetryMaxMs: 3_600_000,
  /** How late tomorrow's prices may be before users are told. */
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
  /** Extras in the state of one device, and the characters of their description as JSON. */
  stateExtras: 256,
  stateExtrasChars: 65_536,
  stateExtraNameChars: 120,
  stateExtraTextChars: 1024,
  stateExtraOptions: 200,
  adapterPingMs: 5000,
  adapterSilenceMs: 20_000,
  adapterStartMs: 120_000,
  adapterStopMs: 5000,
  /** An adapter that has not been running for this long is away: its devices are unreachable. */
  adapterAwayMs: 3000,
  /** As `adapterAwayMs`, for an adapter that is still in its first start: it may just be slow. */
  adapterFirstStartMs: 30_000,
  /**
   * How long a request waits for adapters that are still starting; after that their part of the answer is
   * empty.
   */
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
  /** How long a request may wait for the outcome of a command. */
  outcomeWaitMaxS: 25,
  /** The part of the log after a command in which its end is looked for. */
  outcomeSpanMs: 120_000,
  /** The same for a command that has waited for its device to wake up. */
  deferredSpanMs: 7 * 86_400_000,
  commandChains: 4096,
  sendTimeoutMs: 5000,
  sendGuardMs: 2000,
  /** How long a command to a group waits for members that have not answered the one before. */
  castWaitMs: 500,
  refreshMs: 60_000,
  /** How long a device must be unreachable before users are told. */
  unreachableMs: 300_000,
  staleReportMs: 1000,
  requestMs: 10_000,
  /** How long an adapter may take to set settings of a device, or to start its upgrade. */
  errandMs: 60_000,
  /** Commands in one list that ask an adapter; they run one after the other, even when the client has left. */
  questionsPerRequest: 10,

  /** Bindings and reporting that users may choose for one Zigbee device. */
  zigbeeByHand: 64,
  /** The longest silence that users may allow a Zigbee device. */
  zigbeeSilenceMinutes: 43_200,
  /** Characters of an install code with all that a QR code holds besides. */
  installCodeChars: 256,

  // networks of other programs
  /** Characters of all files of an import together: its request must fit a body and a message to the adapter. */
  importChars: 900_000,
  pemChars: 16_384,
  /** A network may have to be written to another stick. */
  importMs: 50_000,

  // firmware of devices
  /** Files in a folder of images, and bytes of one. */
  upgradeImages: 500,
  upgradeImageBytes: 8_388_608,
  /** Devices that one network upgrades at a time: each block takes airtime from commands. */
  upgradesAtOnce: 3,
  /** A queued upgrade has failed when its device has not asked for the image this long after the request. */
  upgradeQueuedMs: 1_209_600_000,
  /** A queued upgrade has failed when this many offers of the image have not reached its device. */
  upgradeLostOffers: 5,
  /**
   * An upgrade without a sign of progress for this long has failed; adapters give up a silent device within
   * minutes.
   */
  upgradeSilentMs: 1_800_000,
  // serial ports
  serialPorts: 256,
  serialPathChars: 1024,
  /** Bytes that are read of a text in which hardware describes itself. */
  serialTextBytes: 256,
  /** A stick that is plugged in appears bit by bit: the hub looks at it when nothing has changed for this long. */
  serialSettleMs: 500,
  /** How often ports are scanned where nothing announces changes. */
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
  "an adapter may miss one ping before it counts as silent",
);
assertRelation(limits.adapterBackoffMinMs < limits.adapterBackoffMaxMs, "backoff grows");
assertRelation(limits.messageBackoffMinMs < limits.messageBackoffMaxMs, "the backoff of a channel grows");
assertRelation(
  limits.headerTimeoutMs < limits.requestTimeoutMs,
  "the time for a request's head is part of the time for the request",
);
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
  limits.tunnelWindowBytes + limits.tunnelStreams * limits.headerBytes < limits.tunnelHeldBytes &&
    limits.tunnelHeldBytes < limits.tunnelBytes,
  "a full window and the heads of all requests can be held, and a session has memory for it",
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
assertRelation(
  limits.pollWaitersRemote * 2 <= limits.tunnelStreams &&
    limits.pollWaitersPerUser < limits.tunnelStreamsPerUser,
  "polls that wait leave room in the tunnel for other requests",
);
assertRelation(
  limits.pollWaitMs + limits.pollCompanyMs < Math.min(limits.relayAnswerMs, limits.socketSilenceMs),
  "the relay and the socket wait for longer than a poll does",
);
assertRelation(limits.localKeyRenewMs < limits.localKeyMs, "a new key is not renewed at once");
assertRelation(limits.pollWaitCheckMs * 2 < limits.presenceMs, "a client whose poll waits is not away");
assertRelation(limits.presenceMs < limits.awayThresholdMinMs, "whoever has a session is not away");
assertRelation(limits.requestMs < limits.requestTimeoutMs, "an adapter answers before its client gives up");
assertRelation(limits.importMs < limits.requestTimeoutMs, "an import is answered before its client gives up");
assertRelation(limits.importChars < limits.bodyBytes, "the files of an import fit a body");
assertRelation(limits.scanStepMs * 2 < limits.scanLocalMs, "a refreshed scan goes on");
assertRelation(limits.reserveAgainBytes < limits.diskLowBytes, "a disk is low before it is full");
assertRelation(limits.reserveBytes < limits.reserveAgainBytes, "serving again takes more room than stopping");
assertRelation(limits.bodyBytes < limits.commitBytes, "a body fits a commit");
assertRelation(
  limits.commitBytes * 2 < limits.backupSectionBytes &&
    limits.backupFileBytes * 2 <= limits.backupSectionBytes,
  "a commit, or a file in base64, fits a section of a backup",
);
