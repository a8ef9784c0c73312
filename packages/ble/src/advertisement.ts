// Advertising data, Bluetooth Core Specification Supplement, part A.
import { bthomeUuid, decodeBthome } from "./bthome.ts";
import { uintOf } from "./bytes.ts";
import type { Reading } from "./measurement.ts";
import { decodeMibeacon, mibeaconUuid } from "./mibeacon.ts";
import { decodeRuuvi, ruuviCompany } from "./ruuvi.ts";

/** What a device advertises, as far as sensors use it. */
export interface Advertisement {
  readonly name: string | null;
  /** By 16-bit UUID. */
  readonly services: ReadonlyMap<number, Uint8Array>;
  /** Behind the company id, by company id. */
  readonly manufacturers: ReadonlyMap<number, Uint8Array>;
}

const types = { shortName: 0x08, name: 0x09, service16: 0x16, manufacturer: 0xff };

/** Reads the structures of raw advertising data. A structure that is cut off is left out. */
export function parseAdvertisement(bytes: Uint8Array): Advertisement {
  const services = new Map<number, Uint8Array>();
  const manufacturers = new Map<number, Uint8Array>();
  let name: string | null = null;
  for (let at = 0; at + 1 < bytes.length;) {
    const length = bytes[at] ?? 0;
    const end = at + 1 + length;
    // The rest is padding.
    if (length === 0 || end > bytes.length) break;
    const type = bytes[at + 1];
    const data = bytes.subarray(at + 2, end);
    if (type === types.name || (type === types.shortName && name === null))
      name = new TextDecoder().decode(data);
    else if (type === types.service16 && data.length >= 2)
      services.set(uintOf(data.subarray(0, 2)), data.subarray(2));
    else if (type === types.manufacturer && data.length >= 2)
      manufacturers.set(uintOf(data.subarray(0, 2)), data.subarray(2));
    at = end;
  }
  return { name, services, manufacturers };
}

/**
 * Decodes an advertisement of a known format.
 * @param address 12 hexadecimal digits
 * @param key of the device, 16 bytes, if one is known
 * @returns undefined if it is of none
 * @throws BleError if it is of one, but cannot be read
 */
export function decodeAdvertisement(
  { services, manufacturers }: Pick<Advertisement, "services" | "manufacturers">,
  address: string,
  key?: Uint8Array,
): Reading | undefined {
  const bthome = services.get(bthomeUuid);
  if (bthome !== undefined) return decodeBthome(bthome, address, key);
  const mibeacon = services.get(mibeaconUuid);
  if (mibeacon !== undefined) return decodeMibeacon(mibeacon, address, key);
  const ruuvi = manufacturers.get(ruuviCompany);
  return ruuvi === undefined ? undefined : decodeRuuvi(ruuvi);
}
