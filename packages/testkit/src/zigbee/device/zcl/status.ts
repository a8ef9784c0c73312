/** The result of a command or of one attribute (Zigbee Cluster Library, 2.6.3). */
export const status = {
  success: 0x00,
  failure: 0x01,
  notAuthorized: 0x7e,
  malformedCommand: 0x80,
  unsupportedClusterCommand: 0x81,
  unsupportedGeneralCommand: 0x82,
  unsupportedManufacturerClusterCommand: 0x83,
  unsupportedManufacturerGeneralCommand: 0x84,
  invalidField: 0x85,
  unsupportedAttribute: 0x86,
  invalidValue: 0x87,
  readOnly: 0x88,
  insufficientSpace: 0x89,
  notFound: 0x8b,
  unreportableAttribute: 0x8c,
  invalidDataType: 0x8d,
  writeOnly: 0x8f,
  abort: 0x95,
  invalidImage: 0x96,
  waitForData: 0x97,
  noImageAvailable: 0x98,
  unsupportedCluster: 0xc3,
} as const;

export type Status = (typeof status)[keyof typeof status];
