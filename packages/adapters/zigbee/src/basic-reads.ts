/** Attributes of the basic cluster (ZCL 3.2.2.2). */
const basic = {
  zclVersion: 0x0000,
  appVersion: 0x0001,
  stackVersion: 0x0002,
  hwVersion: 0x0003,
  manufacturerName: 0x0004,
  modelId: 0x0005,
  dateCode: 0x0006,
  powerSource: 0x0007,
  swBuildId: 0x4000,
} as const;

/**
 * What an interview reads, as reads whose answers fit into the 82 octets that a frame has for them without fragmentation:
 * names of 32 octets, dates and builds of 16, and 4 or 5 octets besides each value.
 */
const reads: readonly (readonly number[])[] = [
  [basic.modelId, basic.powerSource, basic.zclVersion, basic.appVersion, basic.stackVersion, basic.hwVersion],
  [basic.manufacturerName, basic.dateCode, basic.swBuildId],
];

/** Octets of a value by its type (ZCL 2.6.2): enum8, uint8. */
const fixed: Readonly<Record<number, number>> = { 0x30: 1, 0x20: 1 };
const text = 0x42;
/** The length of a text that has no value. */
const noText = 0xff;

/** Returns which read an attribute of the basic cluster belongs to; undefined for one that no interview asks for. */
export function readOf(attribute: number): readonly number[] | undefined {
  return reads.find((read) => read.includes(attribute));
}

/**
 * Returns the answer to a read of several attributes without those that the device refuses, as if only the others had been
 * asked for. An attribute that was wanted stays.
 * @param answer header and records of a read attributes response (ZCL 2.5.2)
 * @param from the length of the header
 * @returns undefined when the answer has a value of an unknown type
 */
export function withoutRefused(answer: Buffer, from: number, wanted: number): Buffer | undefined {
  const kept = [answer.subarray(0, from)];
  for (let at = from; at < answer.length;) {
    if (at + 3 > answer.length) return undefined;
    const isRefused = answer[at + 2] !== 0;
    const octets = isRefused ? 3 : 4 + valueOctets(answer, at + 3);
    // Not a number for an unknown type.
    if (!(at + octets <= answer.length)) return undefined;
    if (!isRefused || answer.readUInt16LE(at) === wanted) kept.push(answer.subarray(at, at + octets));
    at += octets;
  }
  return Buffer.concat(kept);
}

function valueOctets(answer: Buffer, typeAt: number): number {
  const type = answer[typeAt] ?? 0;
  if (type !== text) return fixed[type] ?? NaN;
  const length = answer[typeAt + 1] ?? 0;
  return length === noText ? 1 : 1 + length;
}
