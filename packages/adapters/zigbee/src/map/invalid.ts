const ones = (octets: number): number | bigint =>
  octets > 6 ? (1n << BigInt(8 * octets)) - 1n : 2 ** (8 * octets) - 1;
const lowest = (octets: number): number | bigint =>
  octets > 6 ? -(1n << BigInt(8 * octets - 1)) : -(2 ** (8 * octets - 1));

/**
 * The value of each type that means "no value", by the identifier of the type (ZCL revision 8, table 2-11).
 * Data and bitmaps have none. Floats have NaN, strings a length of all ones.
 */
const sentinels: ReadonlyMap<number, number | bigint> = new Map([
  // bool
  [0x10, ones(1)],
  // uint8 to uint64
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((octets) => [0x1f + octets, ones(octets)] as const),
  // int8 to int64
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((octets) => [0x27 + octets, lowest(octets)] as const),
  // enum8, enum16
  [0x30, ones(1)],
  [0x31, ones(2)],
  // time of day, date, UTC
  [0xe0, ones(4)],
  [0xe1, ones(4)],
  [0xe2, ones(4)],
  // cluster, attribute, BACnet object
  [0xe8, ones(2)],
  [0xe9, ones(2)],
  [0xea, ones(4)],
]);

const all: ReadonlySet<unknown> = new Set(sentinels.values());

/** Whether a value means "no value" in its ZCL type. */
export function isInvalid(type: number, value: unknown): boolean {
  return Number.isNaN(value) || (value !== undefined && value === sentinels.get(type));
}

/** Whether a value means "no value" in some type. */
export function maybeInvalid(value: unknown): boolean {
  return Number.isNaN(value) || all.has(value);
}
