import { fromHex } from "../hex.ts";
import type { Identity } from "../header.ts";
import { manufacturerNumber } from "../manufacturer.ts";
import { MasterFault } from "./fault.ts";

/**
 * The secondary address of a meter. `id` has eight digits, F stands for any digit. A part that is absent stands for any
 * value.
 */
export interface SecondaryAddress {
  readonly id: string;
  readonly manufacturer?: string;
  readonly version?: number;
  readonly medium?: number;
}

const anyByte = 0xff;

/**
 * Returns the eight bytes that select a meter. A maker that is no three letters stands for any value, and so do version and
 * medium then: meters of the fixed structure do not tell them. Throws MasterFault (`refused`) for an id that is none.
 */
export function selectionOf({
  id,
  manufacturer,
  version = anyByte,
  medium = anyByte,
}: SecondaryAddress): Uint8Array {
  if (!/^[\dA-F]{8}$/.test(id)) throw new MasterFault("refused", `${id} is not an id of eight digits`);
  const isMaker = manufacturer === undefined || /^[A-Z]{3}$/.test(manufacturer);
  if (!isMaker) return selectionOf({ id });
  const maker = manufacturer === undefined ? 0xffff : manufacturerNumber(manufacturer);
  return Uint8Array.from([...fromHex(id).toReversed(), maker & 0xff, maker >> 8, version, medium]);
}

/** Whether a meter has a secondary address. */
export function isSelectedBy(meter: Identity, address: SecondaryAddress): boolean {
  const { manufacturer = meter.manufacturer, version = meter.version, medium = meter.medium } = address;
  const hasId = Array.from(address.id).every((digit, i) => digit === "F" || digit === meter.id[i]);
  return hasId && manufacturer === meter.manufacturer && version === meter.version && medium === meter.medium;
}
