// Xiaomi MiBeacon, versions 2 to 5: https://iot.mi.com/new/doc/accesses/direct-access/embedded-development/ble/ble-mibeacon.
import { ByteReader, fromHex, intOf, scaled, uintOf } from "./bytes.ts";
import { decryptCcm } from "./ccm.ts";
import { BleError } from "./error.ts";
import { indexed, type Measurement, type Reading, type SensorEvent } from "./measurement.ts";

/** The 16-bit UUID of its service data. */
export const mibeaconUuid = 0xfe95;

const flags = { encrypted: 1 << 3, address: 1 << 4, capability: 1 << 5, object: 1 << 6 };
const inputOutput = 1 << 5;
const counterBytes = 3;
const tagBytes = 4;

/** Models by product id. */
const models: Readonly<Record<number, string>> = {
  0x0098: "HHCCJCY01",
  0x01aa: "LYWSDCGQ",
  0x03bc: "GCLS002",
  0x03dd: "MUE4094RT",
  0x04e1: "XMMF01JQD",
  0x055b: "LYWSD03MMC",
  0x066f: "CGDK2",
  0x0863: "SJWS01LM",
  0x0997: "JTYJGD03MI",
  0x0b48: "CGG1",
  0x1203: "XMWSDJ04MMC",
  0x16e4: "LYWSD02MMC",
  0x3f0f: "RS1BB",
};

type Values = readonly Omit<Measurement, "index">[];
interface ObjectForm {
  readonly bytes: number;
  readonly read: (data: Uint8Array) => Values;
}

const number = (
  quantity: string,
  bytes: number,
  factor: number,
  unit: string | null,
  read: (data: Uint8Array) => number = uintOf,
): ObjectForm => ({
  bytes,
  read: (data) => [{ quantity, value: scaled(read(data), factor), unit }],
});
const flag = (quantity: string, isSet = (raw: number) => raw !== 0): ObjectForm => ({
  bytes: 1,
  read: ([raw = 0]) => [{ quantity, value: isSet(raw), unit: null }],
});
const temperature = (data: Uint8Array): Values => [
  { quantity: "temperature", value: scaled(intOf(data), 0.1), unit: "°C" },
];
const humidity = (data: Uint8Array): Values => [
  { quantity: "humidity", value: scaled(uintOf(data), 0.1), unit: "%" },
];

/** Objects by type. A motion that ends is not told. */
const objects: Readonly<Record<number, ObjectForm>> = {
  0x0003: flag("motion"),
  0x000f: {
    bytes: 3,
    read: (data) => [
      { quantity: "motion", value: true, unit: null },
      { quantity: "illuminance", value: uintOf(data), unit: "lx" },
    ],
  },
  0x1004: { bytes: 2, read: temperature },
  0x1006: { bytes: 2, read: humidity },
  0x1007: number("illuminance", 3, 1, "lx"),
  0x1008: number("moisture", 1, 1, "%"),
  0x1009: number("conductivity", 2, 1, "µS/cm"),
  0x100a: number("battery", 1, 1, "%"),
  0x100d: { bytes: 4, read: (data) => [...temperature(data.subarray(0, 2)), ...humidity(data.subarray(2))] },
  0x1010: number("formaldehyde", 2, 0.01, "mg/m³"),
  0x1012: flag("power_on"),
  0x1013: number("consumable", 1, 1, "%"),
  0x1014: flag("moisture_detected"),
  0x1015: flag("smoke"),
  0x1017: number("idle_time", 4, 1, "s"),
  0x1018: flag("light"),
  // 0 open, 1 closed, 2 left open, 3 the sensor was reset.
  0x1019: flag("opening", (raw) => raw === 0 || raw === 2),
};
const presses = ["press", "double_press", "long_press"];

/**
 * Decodes service data of MiBeacon.
 * @param address 12 hexadecimal digits, for frames that leave it out
 * @throws BleError
 */
export function decodeMibeacon(data: Uint8Array, address: string, key: Uint8Array | undefined): Reading {
  const reader = new ByteReader(data);
  const control = reader.uint(2, "the frame control");
  const version = control >> 12;
  if (version < 2 || version > 5) throw new BleError("unsupported", `MiBeacon version ${version}`);
  const product = reader.take(2, "the product id");
  const packet = reader.byte("the frame counter");
  const sender =
    (control & flags.address) === 0 ? fromHex(address).toReversed() : reader.take(6, "the address");
  if ((control & flags.capability) !== 0 && (reader.byte("the capability") & inputOutput) !== 0)
    reader.take(2, "the input and output");
  const isEncrypted = (control & flags.encrypted) !== 0;
  const base = {
    format: "mibeacon",
    model: models[uintOf(product)] ?? null,
    isEncrypted,
    isTriggered: true,
    packet,
  } as const;
  if ((control & flags.object) === 0) return { ...base, measurements: [], events: [] };
  const rest = reader.take(reader.left, "the objects");
  if (!isEncrypted) return { ...base, ...objectsIn(rest) };
  // Versions 2 and 3 have a nonce and a tag of their own, which no public page describes.
  if (version < 4) throw new BleError("unsupported", `encryption of MiBeacon version ${version}`);
  if (rest.length < counterBytes + tagBytes) throw new BleError("truncated", "no counter and tag");
  if (key === undefined) throw new BleError("locked", "the advertisement is encrypted and no key is known");
  const counter = rest.subarray(-counterBytes - tagBytes, -tagBytes);
  const nonce = Uint8Array.of(...sender, ...product, packet, ...counter);
  const body = rest.subarray(0, -counterBytes - tagBytes);
  const plain = decryptCcm(key, nonce, body, rest.subarray(-tagBytes), Uint8Array.of(0x11));
  return { ...base, counter: uintOf(counter) * 256 + packet, ...objectsIn(plain) };
}

function objectsIn(bytes: Uint8Array): Pick<Reading, "measurements" | "events"> {
  const reader = new ByteReader(bytes);
  const values: Omit<Measurement, "index">[] = [];
  const events: SensorEvent[] = [];
  while (reader.left > 0) {
    const type = reader.uint(2, "the type of an object");
    const data = reader.take(reader.byte("the length of an object"), "an object");
    if (type === 0x1001 && data.length === 3) {
      const event = presses[data[2] ?? 0];
      if (event !== undefined) events.push({ source: "button", index: (data[0] ?? 0) + 1, event });
      continue;
    }
    const form = objects[type];
    if (form === undefined) continue;
    if (data.length !== form.bytes)
      throw new BleError("format", `object ${type.toString(16)} has ${form.bytes} bytes, not ${data.length}`);
    values.push(...form.read(data));
  }
  return { measurements: indexed(values), events };
}
