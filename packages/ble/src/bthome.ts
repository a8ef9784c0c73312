// BTHome v2, https://bthome.io/format and https://bthome.io/encryption.
import { type BthomeObject, bthomeObjects, buttonEvents, dimmerEvents } from "./bthome-objects.ts";
import { ByteReader, fromHex, intOf, scaled, toHex, uintOf } from "./bytes.ts";
import { decryptCcm } from "./ccm.ts";
import { BleError } from "./error.ts";
import { indexed, type Measurement, type Reading, type SensorEvent } from "./measurement.ts";

/** The 16-bit UUID of its service data. */
export const bthomeUuid = 0xfcd2;

const version = 2;
const encryptedFlag = 0x01;
const triggerFlag = 0x04;
const counterBytes = 4;
const tagBytes = 4;

/**
 * Decodes service data of BTHome v2. Objects behind an unknown one are left out, because its length is unknown.
 * @param address 12 hexadecimal digits
 * @throws BleError
 */
export function decodeBthome(data: Uint8Array, address: string, key: Uint8Array | undefined): Reading {
  const info = new ByteReader(data).byte("the device information");
  if (info >> 5 !== version) throw new BleError("unsupported", `BTHome version ${info >> 5}`);
  const isEncrypted = (info & encryptedFlag) !== 0;
  const base = {
    format: "bthome",
    model: null,
    isEncrypted,
    isTriggered: (info & triggerFlag) !== 0,
  } as const;
  if (!isEncrypted) return { ...base, ...objectsIn(data.subarray(1)) };
  if (data.length < 1 + counterBytes + tagBytes) throw new BleError("truncated", "no counter and tag");
  if (key === undefined) throw new BleError("locked", "the advertisement is encrypted and no key is known");
  const counter = data.subarray(-counterBytes - tagBytes, -tagBytes);
  const nonce = Uint8Array.of(...fromHex(address), bthomeUuid & 0xff, bthomeUuid >> 8, info, ...counter);
  const plain = decryptCcm(key, nonce, data.subarray(1, -counterBytes - tagBytes), data.subarray(-tagBytes));
  return { ...base, counter: uintOf(counter), ...objectsIn(plain) };
}

function objectsIn(bytes: Uint8Array): Pick<Reading, "packet" | "measurements" | "events"> {
  const reader = new ByteReader(bytes);
  const values: Omit<Measurement, "index">[] = [];
  const events: SensorEvent[] = [];
  const counts = { button: 0, dimmer: 0 };
  let packet: number | undefined;
  while (reader.left > 0) {
    const object: BthomeObject | undefined = bthomeObjects[reader.byte("an object id")];
    if (object === undefined) break;
    switch (object.kind) {
      case "packet":
        packet = reader.byte("the packet id");
        break;
      case "number": {
        const { quantity, isSigned, factor, unit } = object;
        const raw = reader.take(object.bytes, quantity);
        values.push({ quantity, value: scaled(isSigned ? intOf(raw) : uintOf(raw), factor), unit });
        break;
      }
      case "boolean": {
        const raw = reader.byte(object.quantity);
        if (raw > 1) throw new BleError("format", `${object.quantity} must be 0 or 1, not ${raw}`);
        values.push({ quantity: object.quantity, value: raw === 1, unit: null });
        break;
      }
      case "text":
      case "raw": {
        const raw = reader.take(reader.byte("a length"), object.quantity);
        const value = object.kind === "raw" ? toHex(raw) : new TextDecoder().decode(raw);
        values.push({ quantity: object.quantity, value, unit: null });
        break;
      }
      case "button": {
        const event = buttonEvents[reader.byte("a button")];
        counts.button += 1;
        if (event !== undefined) events.push({ source: "button", index: counts.button, event });
        break;
      }
      case "dimmer": {
        const event = dimmerEvents[reader.byte("a dimmer")];
        const steps = reader.byte("the steps of a dimmer");
        counts.dimmer += 1;
        if (event !== undefined) events.push({ source: "dimmer", index: counts.dimmer, event, steps });
        break;
      }
      case "version":
        reader.take(object.bytes, "a version");
    }
  }
  return { ...(packet !== undefined && { packet }), measurements: indexed(values), events };
}
