// Ruuvi data format 5 (RAWv2), https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-5-rawv2.
import { scaled } from "./bytes.ts";
import { BleError } from "./error.ts";
import { indexed, type Measurement, type Reading } from "./measurement.ts";

/** The company id of Ruuvi's manufacturer data. */
export const ruuviCompany = 0x0499;

const length = 24;

/**
 * Decodes manufacturer data behind the company id. A value that the tag marks as invalid is left out.
 * @throws BleError `unsupported` for other data formats
 */
export function decodeRuuvi(data: Uint8Array): Reading {
  if (data[0] !== 5) throw new BleError("unsupported", `data format ${data[0] ?? "missing"}`);
  if (data.length < length) throw new BleError("truncated", `RAWv2 has ${length} bytes, not ${data.length}`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const values: Omit<Measurement, "index">[] = [];
  const put = (quantity: string, raw: number, invalid: number, factor: number, unit: string | null): void => {
    if (raw !== invalid) values.push({ quantity, value: scaled(raw, factor), unit });
  };
  put("temperature", view.getInt16(1), -0x8000, 0.005, "°C");
  put("humidity", view.getUint16(3), 0xffff, 0.0025, "%");
  const pressure = view.getUint16(5);
  if (pressure !== 0xffff) values.push({ quantity: "pressure", value: pressure + 50_000, unit: "Pa" });
  for (const [index, axis] of ["x", "y", "z"].entries())
    put(`acceleration_${axis}`, view.getInt16(7 + 2 * index), -0x8000, 0.001, "g");
  const power = view.getUint16(13);
  if (power >> 5 !== 0x7ff)
    values.push({ quantity: "battery_voltage", value: scaled((power >> 5) + 1600, 0.001), unit: "V" });
  if ((power & 0x1f) !== 0x1f)
    values.push({ quantity: "tx_power", value: -40 + 2 * (power & 0x1f), unit: "dBm" });
  put("movement_counter", view.getUint8(15), 0xff, 1, null);
  const packet = view.getUint16(16);
  return {
    format: "ruuvi",
    model: "RuuviTag",
    isEncrypted: false,
    isTriggered: false,
    ...(packet !== 0xffff && { packet }),
    measurements: indexed(values),
    events: [],
  };
}
