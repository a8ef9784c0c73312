/** What makes a network one. Hex digits are lower case, the most significant byte first. */
export interface NetworkParameters {
  readonly panId: number;
  /** 16 hex digits. */
  readonly extendedPanId: string;
  /** 32 hex digits: a secret. */
  readonly networkKey: string;
  /** 11 to 26. */
  readonly channel: number;
}

/** Random bytes from a source that nobody can guess. */
export type RandomBytes = (count: number) => Uint8Array;

/** Channels that lie beside those of Wi-Fi, and that every device knows. */
export const usualChannels = [11, 15, 20, 25] as const;

/**
 * The parameters of a network that there has never been.
 * @param channel when it is settled; else one of the usual ones.
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

/** 1 to 0xfffd: what is above means everybody or nobody (Zigbee specification, 3.2.2.5). */
export function newPanId(random: RandomBytes): number {
  const [high = 0, low = 0] = random(2);
  return 1 + (((high << 8) | low) % 0xfffd);
}

/** Two ways of writing an extended PAN id: some firmware tells it backwards. */
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
