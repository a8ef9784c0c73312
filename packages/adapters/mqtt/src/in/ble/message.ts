import { addressOf, type Advertisement, BleError, fromHex, parseAdvertisement } from "@ledge/ble";
import { isRecord } from "@ledge/exposes";
import { jsonOf, type Values, wordOf } from "../source.ts";

/** An advertisement that a gateway has heard. */
export interface Sighting {
  /** 12 hexadecimal digits. */
  readonly address: string;
  readonly advertisement: Advertisement;
}

/** The longest extended advertisement. */
const mostHexChars = 2 * 1650;
const mostParts = 16;

/**
 * Reads a gateway's message, which is JSON:
 * - OpenMQTTGateway and Theengs: `id`, `servicedata` with `servicedatauuid`, `manufacturerdata`;
 * - Ruuvi Gateway and others: the whole advertising data in `data`, `raw` or `advertisement`;
 * - scripts: `service_data` by UUID and `manufacturer_data` by company id.
 * The address is in `id`, `mac`, `address` or `addr`, or is the last level of the topic. All bytes are hexadecimal.
 * @returns undefined for anything else
 */
export function sightingIn(topic: string, payload: Buffer): Sighting | undefined {
  const said = jsonOf(payload);
  if (!isRecord(said)) return undefined;
  const address = addressIn(said, topic);
  if (address === undefined) return undefined;
  const raw = ["data", "raw", "advertisement"].map((key) => bytesOf(said[key])).find(Boolean);
  const parsed: Advertisement =
    raw === undefined
      ? { name: null, services: new Map(), manufacturers: new Map() }
      : parseAdvertisement(raw);
  const services = new Map([...parsed.services, ...partsIn(said["service_data"])]);
  const manufacturers = new Map([...parsed.manufacturers, ...partsIn(said["manufacturer_data"])]);
  const uuid = numberOf(said["servicedatauuid"]);
  const service = bytesOf(said["servicedata"]);
  if (uuid !== undefined && service !== undefined) services.set(uuid, service);
  const maker = bytesOf(said["manufacturerdata"]);
  if (maker !== undefined && maker.length >= 2)
    manufacturers.set((maker[0] ?? 0) + 256 * (maker[1] ?? 0), maker.subarray(2));
  return {
    address,
    advertisement: { name: wordOf(said["name"]) ?? wordOf(parsed.name), services, manufacturers },
  };
}

function addressIn(said: Values, topic: string): string | undefined {
  const words = [said["id"], said["mac"], said["address"], said["addr"], topic.split("/").at(-1)];
  return words.map((word) => (typeof word === "string" ? addressOf(word) : undefined)).find(Boolean);
}

function partsIn(value: unknown): readonly (readonly [number, Uint8Array])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .slice(0, mostParts)
    .flatMap(([key, text]) => {
      const number = numberOf(key);
      const bytes = bytesOf(text);
      return number === undefined || bytes === undefined ? [] : [[number, bytes] as const];
    });
}

function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text.length > mostHexChars) return undefined;
  try {
    return fromHex(text.replace(/^0x/i, ""));
  } catch (error) {
    if (error instanceof BleError) return undefined;
    throw error;
  }
}

/** Reads a 16-bit number such as `fcd2`, `0xfcd2`, or a UUID of 128 bits on Bluetooth's base. */
function numberOf(text: unknown): number | undefined {
  const long = /^0000([0-9a-f]{4})-0000-1000-8000-00805f9b34fb$/i;
  const digits = typeof text === "string" ? (long.exec(text)?.[1] ?? text.replace(/^0x/i, "")) : "";
  return /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
