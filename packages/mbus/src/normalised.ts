// A telegram as XML with normalised units: the layout, names and numbers of libmbus, which other programs read. It
// knows the codes of EN 13757-3:2004; those that later editions added are "Reserved". VIFEs that make a value a date or
// a duration leave it a number.
import { bcdOf, codings, integerOf } from "./data.ts";
import { timePointOf } from "./dates.ts";
import { fixedMedia, mediumName } from "./media.ts";
import { hexByte, toHex } from "./hex.ts";
import { productName } from "./products.ts";
import { type DataRecord, type RecordFunction, scaled } from "./records.ts";
import type { Telegram, VariableTelegram } from "./telegram.ts";
import type { FixedTelegram } from "./fixed.ts";
import { combinedBy } from "./vif/combinable.ts";
import { baseOf, manufacturerSpecific } from "./vif/meaning.ts";
import { type Quantity, reserved } from "./vif/quantity.ts";

type Field = readonly [name: string, value: string];

const functionNames: Readonly<Record<RecordFunction, string>> = {
  instantaneous: "Instantaneous value",
  maximum: "Maximum value",
  minimum: "Minimum value",
  error: "Value during error state",
};

/** Seconds of the mean month and year. */
const meanSeconds: Readonly<Record<string, number>> = { month: 2_629_743.83, year: 31_556_926 };

/** Returns a telegram as XML. Encrypted data that was not decrypted is left out. */
export function toNormalisedXml(telegram: Telegram): string {
  const [slave, records] = telegram.kind === "fixed" ? fixedFields(telegram) : variableFields(telegram);
  const parts = records.map((fields, i) => element("DataRecord", ` id="${i}"`, fields));
  return [
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    "<MBusData>",
    "",
    element("SlaveInformation", "", slave),
    ...parts,
    "</MBusData>",
    "",
  ].join("\n");
}

function element(name: string, attributes: string, fields: readonly Field[]): string {
  const lines = fields.map(([field, value]) => `        <${field}>${escaped(value)}</${field}>`);
  return [`    <${name}${attributes}>`, ...lines, `    </${name}>`, ""].join("\n");
}

function fixedFields(telegram: FixedTelegram): readonly [readonly Field[], readonly (readonly Field[])[]] {
  const slave: Field[] = [
    ["Id", withoutZeros(telegram.id)],
    ["Medium", fixedMedia[telegram.medium] as string],
    ["AccessNumber", String(telegram.accessNumber)],
    ["Status", hexByte(telegram.status)],
  ];
  const records = telegram.counters.map(({ isStored, unit, value }): Field[] => [
    ["Function", isStored ? "Stored value" : "Actual value"],
    ["Unit", unit],
    ["Value", String(value ?? "")],
  ]);
  return [slave, records];
}

function variableFields(
  telegram: VariableTelegram,
): readonly [readonly Field[], readonly (readonly Field[])[]] {
  const { meter, status } = telegram;
  const slave: Field[] = [];
  if (meter) {
    const { id, manufacturer, version, medium } = meter;
    slave.push(["Id", withoutZeros(id)], ["Manufacturer", manufacturer], ["Version", String(version)]);
    slave.push(["ProductName", productName(manufacturer, version, medium)], ["Medium", mediumName(medium)]);
  }
  if (status) {
    slave.push(["AccessNumber", String(status.accessNumber)], ["Status", hexByte(status.status)]);
    slave.push(["Signature", status.signature.toString(16).toUpperCase().padStart(4, "0")]);
  }
  const records = telegram.records.map(recordFields);
  if (telegram.manufacturerData === undefined) return [slave, records];
  const last: Field[] = [
    ["Function", telegram.moreFollow ? "More records follow" : "Manufacturer specific"],
    ["StorageNumber", "0"],
    ["Unit", ""],
    ["Quantity", ""],
    ["Value", toHex(telegram.manufacturerData)],
  ];
  return [slave, [...records, last]];
}

function recordFields(record: DataRecord): readonly Field[] {
  const { quantity, unit, value } = normalised(record);
  const parts: readonly Field[] =
    record.dib.length === 1
      ? []
      : [
          ["Tariff", String(record.tariff)],
          ["Device", String(record.device)],
        ];
  return [
    ["Function", functionNames[record.function]],
    ["StorageNumber", String(record.storage)],
    ...parts,
    ["Unit", unit],
    ["Quantity", quantity],
    ["Value", value],
  ];
}

function normalised(record: DataRecord): {
  readonly quantity: string;
  readonly unit: string;
  readonly value: string;
} {
  if (record.vib.length === 0) return { quantity: record.quantity, unit: record.unit, value: "" };
  const base = baseOf(record.vib, record.vifText);
  const known: Quantity = base.isNewer ? reserved : base;
  const mean = meanSeconds[known.unit];
  const unit = mean === undefined ? known.unit : "s";
  return { quantity: known.quantity, unit, value: valueText(record, known, mean ?? known.factor ?? 1) };
}

function valueText(record: DataRecord, known: Quantity, factor: number): string {
  const { value, data } = record;
  const coding = (record.dib[0] as number) & 0x0f;
  if (value.kind === "none") return "";
  if (value.kind === "text") return value.text;
  if (value.kind === "bytes") return toHex(value.bytes);
  if (coding === codings.variable) return value.kind === "number" ? fixedPoint(value.value) : toHex(data);
  const isDate = known.type === "date" && coding === 2;
  const isDateTime = known.type === "dateTime" && (coding === 4 || coding === 6);
  if (isDate || isDateTime) return dateText(data);
  return fixedPoint(scaled(numberOf(data, coding) * factor, known.exponent + correctionOf(record.vib)));
}

/** The exponent that VIFEs add. */
function correctionOf(vib: Uint8Array): number {
  const vif = vib[0] as number;
  if ((vif & 0x7f) === manufacturerSpecific) return 0;
  let sum = 0;
  for (let i = vif === 0xfd || vif === 0xfb ? 2 : 1; i < vib.length; i++) {
    const code = (vib[i] as number) & 0x7f;
    if (code === manufacturerSpecific) break;
    sum += combinedBy(code).exponent ?? 0;
  }
  return sum;
}

/** Integers are signed, whatever the quantity. Of nibbles beyond 9 the high ones count as 0. */
function numberOf(data: Uint8Array, coding: number): number {
  if (coding === codings.real) return new DataView(data.buffer, data.byteOffset, 4).getFloat32(0, true);
  if (coding < codings.readout) return integerOf(data);
  const raw = bcdOf(data);
  if (raw.kind === "number") return raw.value;
  let number = 0;
  for (let i = data.length - 1; i >= 0; i--) {
    const byte = data[i] as number;
    number = number * 100 + (byte >> 4 > 9 ? 0 : byte >> 4) * 10 + (byte & 0x0f);
  }
  return (data.at(-1) ?? 0) >> 4 === 0x0f ? -number : number;
}

/** A date as it is sent, also one that no calendar has. A clock that is not right shows the start of 1900. */
function dateText(data: Uint8Array): string {
  const time = timePointOf(data);
  const two = (part: number | undefined): string => String(part ?? 0).padStart(2, "0");
  if (time === undefined) return "";
  const { year = 0, month, day, hour, minute, second, isInvalid } = time;
  if (hour === undefined) return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  if (isInvalid) return "1900-01-00T00:00:00Z";
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}Z`;
}

/** Returns a number with six decimals, as C prints it: a tie goes to the even digit. */
function fixedPoint(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size >= 1e21) return `${sign}${BigInt(size)}.000000`;
  const text = size.toFixed(6);
  // Only odd multiples of 2^-7 lie in the middle between two numbers of six decimals.
  const sevenths = size * 128;
  const isTie = Number.isInteger(sevenths) && sevenths % 2 === 1;
  if (!isTie || Number(text.at(-1)) % 2 === 0) return sign + text;
  return `${sign}${text.slice(0, -1)}${Number(text.at(-1)) - 1}`;
}

/** Leading zeros of an id are not shown. */
function withoutZeros(id: string): string {
  return id.replace(/^0+(?=.)/, "");
}

function escaped(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u001f\u007f]/g, " ")
  );
}
