// Constants of EZSP, the serial protocol of Silicon Labs' EmberZNet (UG100).

/** The protocol of EmberZNet 7.4. */
export const protocolVersion = 13;

export const frameId = {
  version: 0x00,
  addEndpoint: 0x02,
  getExtendedValue: 0x03,
  nop: 0x05,
  setConcentrator: 0x10,
  setManufacturerCode: 0x15,
  networkInit: 0x17,
  networkState: 0x18,
  stackStatusHandler: 0x19,
  startScan: 0x1a,
  scanCompleteHandler: 0x1c,
  stopScan: 0x1d,
  formNetwork: 0x1e,
  leaveNetwork: 0x20,
  permitJoining: 0x22,
  childJoinHandler: 0x23,
  trustCenterJoinHandler: 0x24,
  getEui64: 0x26,
  getNodeId: 0x27,
  getNetworkParameters: 0x28,
  sendUnicast: 0x34,
  sendBroadcast: 0x36,
  sendMulticast: 0x38,
  messageSentHandler: 0x3f,
  incomingMessageHandler: 0x45,
  macFilterMatchMessageHandler: 0x46,
  energyScanResultHandler: 0x48,
  getChildData: 0x4a,
  sendRawMessage: 0x51,
  getConfigurationValue: 0x52,
  setConfigurationValue: 0x53,
  setPolicy: 0x55,
  getPolicy: 0x56,
  invalidCommand: 0x58,
  setSourceRouteDiscoveryMode: 0x5a,
  lookupNodeIdByEui64: 0x60,
  lookupEui64ByNodeId: 0x61,
  getMulticastTableEntry: 0x63,
  setMulticastTableEntry: 0x64,
  readAndClearCounters: 0x65,
  setInitialSecurityState: 0x68,
  clearTransientLinkKeys: 0x6b,
  eraseKeyTableEntry: 0x76,
  getNeighbor: 0x79,
  neighborCount: 0x7a,
  getRouteTableEntry: 0x7b,
  setRadioCcaMode: 0x95,
  rawTransmitCompleteHandler: 0x98,
  setRadioPower: 0x99,
  getValue: 0xaa,
  setValue: 0xab,
  clearKeyTable: 0xb1,
  setLogicalAndRadioChannel: 0xb9,
  readCounters: 0xf1,
  getRadioChannel: 0xff,
  getTokenCount: 0x100,
  getTokenInfo: 0x101,
  getTokenData: 0x102,
  setTokenData: 0x103,
  resetNode: 0x104,
  importLinkKey: 0x10e,
  exportLinkKeyByIndex: 0x10f,
  importTransientKey: 0x111,
  exportKey: 0x114,
  importKey: 0x115,
  getNetworkKeyInfo: 0x116,
} as const;

/** EzspStatus: what is wrong with a request. */
export const ezspStatus = {
  success: 0x00,
  versionNotSet: 0x30,
  invalidFrameId: 0x31,
  truncated: 0x33,
  invalidValue: 0x36,
  invalidId: 0x37,
  invalidCall: 0x38,
} as const;

/** EmberStatus: the result of a request, and the state of the stack. */
export const emberStatus = {
  success: 0x00,
  badArgument: 0x02,
  noBuffers: 0x18,
  deliveryFailed: 0x66,
  invalidCall: 0x70,
  maxMessageLimitReached: 0x72,
  messageTooLong: 0x74,
  networkUp: 0x90,
  networkDown: 0x91,
  notJoined: 0x93,
  channelChanged: 0x9b,
  networkOpened: 0x9c,
  networkClosed: 0x9d,
  networkBusy: 0xa1,
  securityStateNotSet: 0xa8,
  indexOutOfRange: 0xb1,
  keyTableInvalidAddress: 0xb3,
} as const;

/** sl_status_t, which newer commands use. */
export const slStatus = { ok: 0x00, notFound: 0x2d, invalidIndex: 0x27, invalidParameter: 0x21 } as const;

/** EzspConfigId */
export const configId = {
  apsUnicastMessageCount: 0x03,
  multicastTableSize: 0x06,
  maxEndDeviceChildren: 0x11,
  keyTableSize: 0x1e,
} as const;

/** EzspValueId */
export const valueId = {
  stackTokenWriting: 0x07,
  extendedSecurityBitmask: 0x0a,
  versionInfo: 0x11,
  ccaThreshold: 0x15,
  nwkFrameCounter: 0x23,
  transientDeviceTimeout: 0x43,
  keyStorageVersion: 0x44,
} as const;

export const policyId = { trustCenter: 0x00, messageContentsInCallback: 0x04 } as const;
/** Bits of the trust centre's policy. */
export const joinPolicy = { allowJoins: 0x01, allowUnsecuredRejoins: 0x02 } as const;

/** EmberOutgoingMessageType */
export const outgoing = { direct: 0, multicast: 3, broadcast: 6 } as const;
/** EmberIncomingMessageType */
export const incoming = {
  unicast: 0,
  multicast: 2,
  multicastLoopback: 3,
  broadcast: 4,
  broadcastLoopback: 5,
} as const;
/** EmberDeviceUpdate */
export const deviceUpdate = { securedRejoin: 0, unsecuredJoin: 1, left: 2 } as const;
/** EmberJoinDecision */
export const joinDecision = { usePreconfiguredKey: 0, deny: 2, noAction: 3 } as const;
/** EmberNodeType */
export const nodeType = { coordinator: 1, router: 2, endDevice: 3, sleepyEndDevice: 4 } as const;
/** EmberNetworkStatus */
export const networkState = { none: 0, joined: 2 } as const;
/** sl_zb_sec_man_key_type_t */
export const keyType = { network: 1, trustCenterLink: 2, appLink: 4 } as const;

/** Bit of the initial security state: keep the frame counters. */
export const noFrameCounterReset = 0x1000;

/** The largest payload of an APS frame with network security. */
export const maxPayload = 82;

/** How many counters READ_COUNTERS returns (EmberCounterType). */
export const counterCount = 42;
export const counter = {
  apsRxBroadcast: 6,
  apsTxBroadcast: 7,
  apsRxUnicast: 8,
  apsTxUnicastSuccess: 9,
  apsTxUnicastFailed: 11,
  joinIndication: 16,
} as const;

/** Keys of tokens in non-volatile memory (token-stack.h of the SDK). */
export const token = {
  nonceCounter: 0x1_e563,
  keys: 0x1_eb79,
  nodeData: 0x1_ee64,
  trustCenter: 0x1_e124,
  networkManagement: 0x1_e125,
  restoredEui64: 0x1_e12a,
  keyTable: 0x1_0600,
} as const;
