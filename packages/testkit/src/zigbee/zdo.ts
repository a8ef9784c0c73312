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
