/** The status of a sent frame, in the numbers of Z-Stack and IEEE 802.15.4. */
export const status = {
  success: 0x00,
  apsNoAck: 0xb7,
  noRoute: 0xcd,
  channelBusy: 0xe1,
  noAck: 0xe9,
  transactionExpired: 0xf0,
  transactionOverflow: 0xf1,
} as const;
