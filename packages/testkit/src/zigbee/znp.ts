// Constants of TI's Z-Stack network processor (Monitor and Test API).

export const subsystem = { rpc: 0, sys: 1, af: 4, zdo: 5, util: 7, appConfig: 15 } as const;

/** The status of a request or of a sent frame. */
export const status = {
  success: 0x00,
  failure: 0x01,
  invalidParameter: 0x02,
  itemInitialized: 0x09,
  itemFailed: 0x0a,
  badLength: 0x0c,
  memoryFull: 0x10,
  bufferFull: 0x11,
  noResources: 0x1a,
  tableFull: 0xb2,
  apsNoAck: 0xb7,
  noRoute: 0xcd,
  channelBusy: 0xe1,
  noAck: 0xe9,
  transactionExpired: 0xf0,
  transactionOverflow: 0xf1,
} as const;

/** Z-Stack's answers to a request that it does not know or cannot read. */
export const rpcError = { subsystem: 1, id: 2, length: 4 } as const;

export const deviceState = { hold: 0, starting: 8, coordinator: 9 } as const;

/** The kind of an address in a request. */
export const addressMode = { group: 1, short: 2, ieee: 3, broadcast: 15 } as const;

/** The lowest broadcast address, and the audience of each. */
export const broadcast = { lowest: 0xfff8, routers: 0xfffc, awake: 0xfffd, all: 0xffff } as const;

/** ZDO clusters (Zigbee specification 2.4). An answer has the top bit set. */
export const zdo = {
  nwkAddress: 0x0000,
  ieeeAddress: 0x0001,
  nodeDescriptor: 0x0002,
  powerDescriptor: 0x0003,
  simpleDescriptor: 0x0004,
  activeEndpoints: 0x0005,
  matchDescriptors: 0x0006,
  announce: 0x0013,
  bind: 0x0021,
  unbind: 0x0022,
  neighbours: 0x0031,
  routes: 0x0032,
  bindings: 0x0033,
  leave: 0x0034,
  permitJoining: 0x0036,
  networkUpdate: 0x0038,
  answer: 0x8000,
} as const;

export const zdoStatus = {
  success: 0x00,
  invalidRequest: 0x80,
  deviceNotFound: 0x81,
  invalidEndpoint: 0x82,
  notActive: 0x83,
  notSupported: 0x84,
  noEntry: 0x88,
  tableFull: 0x8c,
} as const;
