/** Values by the names of their attributes. */
export type Values = Readonly<Record<string, boolean | number | string>>;

/** What somebody wants of a receiver, or a detector tells. `level` in 0..1. */
export type Order = "on" | "off" | "up" | "down" | "stop" | "ring" | { readonly level: number };

/** What one transmission said, whatever received it. */
export interface Signal {
  /** The protocol, or the model of the device, in the receiver's own words. */
  readonly protocol: string;
  /** The address of the transmitter, in the receiver's own words. */
  readonly address: string;
  /** The key of a remote, or the number of a receiver at an address. */
  readonly unit?: string;
  readonly order?: Order;
  /** The order is for all units of the address. */
  readonly isForAll?: true;
  /** A key whose meaning is not known: the receiver's own word for it. */
  readonly word?: string;
  readonly values: Values;
}

/** The longest protocol, address, unit or word: the name of a device has room for its kind and three of them. */
const longest = 32;

/** Whether a signal's own words are such as can name a device. */
export function isNameable({ protocol, address, unit = "", word = "" }: Signal): boolean {
  const all = [protocol, address, unit, word];
  return protocol !== "" && address !== "" && all.every((text) => text.length <= longest && isPlain(text));
}

/** No semicolon, because RFLink separates fields by it, and nothing that cannot be read. */
const isPlain = (text: string): boolean => /^[\x20-\x3a\x3c-\x7e]*$/.test(text);

/** Makes a part of a native id of a text. */
export function idOf(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** Returns a number with no more digits than the reading had. */
export function rounded(value: number): number {
  return Number(value.toPrecision(10));
}
