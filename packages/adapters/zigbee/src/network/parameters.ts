/** The identity of a network. Hex digits are lower case, most significant byte first. */
export interface NetworkParameters {
  readonly panId: number;
  /** 16 hex digits. */
  readonly extendedPanId: string;
  /** 32 hex digits: a secret. */
  readonly networkKey: string;
  /** 11 to 26. */
  readonly channel: number;
}

/** Returns random bytes from a cryptographic source. */
export type RandomBytes = (count: number) => Uint8Array;

/** Channels between those of Wi-Fi that every device supports. */
export const usualChannels = [11, 15, 20, 25] as const;

/**
 * Returns the parameters of a new network.
 * @param channel a chosen one; by default a random one of the usual channels.
 */
export function newParameters(random: RandomBytes, channel?: number): NetworkParameters {
  const [chance = 0] = random(1);
  return {
    panId: newPanId(random),
    extendedPanId: hex(random(8)),
    networkKey: hex(random(16)),
    channel: channel ?? usualChannels[chance % usualChannels.length] ?? 15,
  };
}

/** Draws a PAN id from 1 to 0xfffd; higher ones are broadcast addresses (Zigbee specification, 3.2.2.5). */
export function newPanId(random: RandomBytes): number {
  const [high = 0, low = 0] = random(2);
  return 1 + (((high << 8) | low) % 0xfffd);
}

/** Compares extended PAN ids; some firmware reports them in reverse byte order. */
export function isExtendedPanId(told: string, { extendedPanId }: NetworkParameters): boolean {
  const digits = told.replace(/^0x/, "").toLowerCase();
  return digits === extendedPanId || digits === hex(bytes(extendedPanId).toReversed());
}

export function bytes(digits: string): number[] {
  return [...Buffer.from(digits, "hex")];
}

function hex(octets: ArrayLike<number>): string {
  return Buffer.from(Array.from(octets)).toString("hex");
}
