// How long a frame takes on the air: IEEE 802.15.4-2015, O-QPSK PHY at 2.4 GHz (clause 12), 250 kbit/s.

/** A symbol of 4 bits, ms (12.2.3). */
const symbolMs = 0.016;
/** An octet: two symbols. */
export const octetMs: number = 2 * symbolMs;
/** Preamble (4 octets), start-of-frame delimiter and length (12.1). */
const phyOctets = 6;
/** Frame control, sequence number, PAN id, both short addresses, and the check sequence (7.2). */
const macOctets = 11;
/** Network header, auxiliary security header and integrity code (Zigbee specification, 3.3.1 and 4.5.1). */
const nwkOctets = 8 + 14 + 4;
/** Application support header of a data frame (Zigbee specification, 2.2.5). */
const apsOctets = 8;

/** Unslotted CSMA-CA (6.2.5.1) and the retries of the MAC, with the default of each constant (8.4.2, 8.4.3). */
export const csma = {
  /** aUnitBackoffPeriod. */
  periodMs: 20 * symbolMs,
  /** A clear channel assessment. */
  assessmentMs: 8 * symbolMs,
  minExponent: 3,
  maxExponent: 5,
  maxBackoffs: 4,
  maxRetries: 3,
} as const;

/** What the network layer does when the MAC gives up: nwkcUnicastRetries, nwkcUnicastRetryDelay (Zigbee 3.5.1). */
export const unicast = { retries: 3, delayMs: 50 } as const;

/** aTurnaroundTime: from receiving to sending and back. */
export const turnaroundMs: number = 12 * symbolMs;
/** An acknowledgement: PHY header and 5 octets. */
export const acknowledgementMs: number = (phyOctets + 5) * octetMs;
/** macAckWaitDuration. */
export const acknowledgementWaitMs: number = 54 * symbolMs;
/** LIFS, the pause of a sender after a frame of more than 18 octets (8.1.3). */
export const spacingMs: number = 40 * symbolMs;

/** The frames of a join: association request and response, the transport of the network key (octets each). */
export const joinOctets: readonly number[] = [27, 33, 87];
/** The data request by which a sleepy device polls its parent. */
export const pollOctets = 18;

/** Returns how many octets an application frame has on the air. */
export function octetsOf({ payload }: { readonly payload: Uint8Array }): number {
  return phyOctets + macOctets + nwkOctets + apsOctets + payload.length;
}

/** Returns how many octets an unsecured inter-PAN frame has: both long addresses, no network layer's security. */
export function interPanOctetsOf({ payload }: { readonly payload: Uint8Array }): number {
  return phyOctets + macOctets + 16 + 2 + 5 + payload.length;
}
