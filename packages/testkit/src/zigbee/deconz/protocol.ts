// Constants of the deCONZ serial protocol by dresden elektronik (document version 1.14).

export const command = {
  apsConfirm: 0x04,
  deviceState: 0x07,
  changeNetworkState: 0x08,
  readParameter: 0x0a,
  writeParameter: 0x0b,
  firmwareVersion: 0x0d,
  deviceStateChanged: 0x0e,
  apsRequest: 0x12,
  apsIndication: 0x17,
} as const;

/** The status of a response. */
export const commandStatus = {
  success: 0,
  failure: 1,
  busy: 2,
  unsupported: 4,
  error: 5,
  noNetwork: 6,
  invalidValue: 7,
} as const;

export const networkState = { offline: 0, joining: 1, connected: 2, leaving: 3 } as const;

/** Bits of the device state, beside the network state in the two lowest. */
export const stateBit = {
  confirm: 0x04,
  indication: 0x08,
  configurationChanged: 0x10,
  freeSlots: 0x20,
} as const;

export const addressMode = { group: 1, short: 2, ieee: 3, shortAndIeee: 4 } as const;

/** Parameters. Newer firmware has more than the document lists. */
export const parameter = {
  macAddress: 0x01,
  panId: 0x05,
  networkAddress: 0x07,
  extendedPanId: 0x08,
  designedCoordinator: 0x09,
  channelMask: 0x0a,
  useExtendedPanId: 0x0b,
  trustCenterAddress: 0x0e,
  endpoint: 0x13,
  predefinedPanId: 0x15,
  networkKey: 0x18,
  linkKey: 0x19,
  currentChannel: 0x1c,
  permitJoin: 0x21,
  protocolVersion: 0x22,
  networkUpdateId: 0x24,
  watchdogTtl: 0x26,
  frameCounter: 0x27,
} as const;

/** Statuses of a confirm, in the numbers of the Zigbee specification. */
export const confirmStatus = {
  success: 0x00,
  apsNoAck: 0xa7,
  routeDiscoveryFailed: 0xd0,
  broadcastTableFull: 0xd2,
  noChannelAccess: 0xe1,
  noAck: 0xe9,
  transactionExpired: 0xf0,
  transactionOverflow: 0xf1,
} as const;

/** Firmware 2.6.78.07 of a ConBee II. */
export const firmware = 0x2678_0700;
/** Version 1.14 of the serial protocol. */
export const protocolVersion = 0x010e;
