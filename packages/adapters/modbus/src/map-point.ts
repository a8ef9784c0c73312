import type { Capability, DeviceClass, ExtraDescription } from "@ledge/model";
import { extrasProblem, isExtra } from "@ledge/model";
import { refuseSetting } from "@ledge/port";
import type { MappedAttribute, ValueRange } from "./map.ts";
import { mappedAttribute, wordRows } from "./map.ts";
import type {
  Bits,
  BooleanCoding,
  ChoiceCoding,
  Coding,
  NumberCoding,
  Point,
  Table,
  TextCoding,
  Value,
} from "./point.ts";
import type { PointSettings } from "./point-settings.ts";
import { pollClasses } from "./point-settings.ts";
import { isInteger, registerCount } from "./registers.ts";
import { conversion, unitsOf } from "./units.ts";

/** A point, with what it adds to its device's description. */
export interface MappedPoint {
  readonly point: Point;
  readonly capabilities: readonly Capability[];
  readonly extra: ExtraDescription | undefined;
}

const prefix = "extras.";
const plain = { factor: 1, offset: 0 };

/**
 * Validates a point and maps it.
 * @param fastMs how often the device's fast points are read.
 * @param path where the point is, for errors.
 * @throws AdapterError `settings`
 */
export function mapPoint(
  settings: PointSettings,
  deviceClass: DeviceClass,
  fastMs: number | undefined,
  path: string,
): MappedPoint {
  const { attribute, table, register, writable = false, minChange = 0 } = settings;
  const { write } = settings;
  if (writable && write === undefined && isReadOnly(table))
    refuseSetting(`${path}.writable`, `a ${table} cannot be written`);
  if (write !== undefined && !writable) refuseSetting(`${path}.write`, "needs writable");
  const { coding, capabilities, extra } = isExtra(attribute)
    ? extraOf(settings, path)
    : attributeOf(settings, deviceClass, path);
  const count = countOf(coding);
  inTable(register, count, `${path}.register`);
  const place = write && {
    table: write.table ?? (isBits(table) ? ("coil" as const) : ("holding" as const)),
    register: write.register,
    coding: writtenCoding(coding, write.options, `${path}.write`),
  };
  if (place !== undefined) {
    inTable(place.register, count, `${path}.write.register`);
    if (isBits(place.table) !== isBits(table))
      refuseSetting(`${path}.write.table`, `a ${place.table} cannot hold what a ${table} does`);
  }
  const pollMs =
    settings.pollMs ??
    (settings.poll === undefined ? (fastMs ?? pollClasses.fast) : classMs(settings.poll, fastMs));
  const point = { attribute, table, register, count, writable, minChange, coding, pollMs };
  return { point: { ...point, ...(place && { write: place }) }, capabilities, extra };
}

function classMs(poll: keyof typeof pollClasses, fastMs: number | undefined): number {
  return poll === "fast" ? (fastMs ?? pollClasses.fast) : pollClasses[poll];
}

function inTable(register: number, count: number, path: string): void {
  if (register + count > 0x10000)
    refuseSetting(path, `${count} registers from ${register} on end beyond 65535`);
}

function countOf(coding: Coding): number {
  if (coding.kind === "boolean") return 1;
  return coding.kind === "text" ? coding.registers : registerCount(coding.format.type);
}

type Mapping = Omit<MappedPoint, "point"> & { readonly coding: Coding };

function attributeOf(settings: PointSettings, deviceClass: DeviceClass, path: string): Mapping {
  const { attribute, writable = false } = settings;
  const words = Object.hasOwn(wordRows, attribute) ? wordRows[attribute as keyof typeof wordRows] : undefined;
  if (words !== undefined) {
    if (writable) refuseSetting(`${path}.writable`, `${attribute} cannot be set`);
    const coding = choiceCoding(settings, path);
    for (const [raw, value] of coding.values)
      if (typeof value !== "string")
        refuseSetting(`${path}.options.${raw}`, `must be a word for ${attribute}`);
    return { coding, capabilities: words, extra: undefined };
  }
  const mapped = mappedAttribute(attribute, deviceClass);
  if (mapped === undefined) return refuseSetting(`${path}.attribute`, `registers cannot hold "${attribute}"`);
  if (writable && mapped.controlled.length === 0)
    refuseSetting(`${path}.writable`, `${mapped.name} cannot be set`);
  const capabilities = [...mapped.sensed, ...(writable ? mapped.controlled : [])];
  return { coding: codingOf(mapped, settings, path), capabilities, extra: undefined };
}

function codingOf(mapped: MappedAttribute, settings: PointSettings, path: string): Coding {
  for (const field of ["min", "max", "length"] as const)
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "applies to extras only");
  if (settings.options !== undefined) {
    const coding = choiceCoding(settings, path);
    for (const [raw, value] of coding.values)
      if (!fits(value, mapped))
        refuseSetting(`${path}.options.${raw}`, `${mapped.name} cannot be ${String(value)}`);
    return coding;
  }
  if (mapped.boolean) return booleanCoding(settings, path);
  const unit = conversion(mapped.quantity, settings.unit);
  if (unit === undefined)
    return refuseSetting(`${path}.unit`, `must be one of ${unitsOf(mapped.quantity).join(", ")}`);
  return numberCoding(settings, unit, mapped, path);
}

function fits(value: Value, { boolean, integer, least, most }: ValueRange): boolean {
  if (boolean) return typeof value === "boolean";
  return (
    typeof value === "number" && value >= least && value <= most && (!integer || Number.isInteger(value))
  );
}

/** Something for which the model has no attribute. */
function extraOf(settings: PointSettings, path: string): Mapping {
  const { attribute, type, unit = null, writable = false, options, min, max, table } = settings;
  const name = attribute.slice(prefix.length);
  const known = { name, unit, writable };
  const range = { ...(min !== undefined && { minValue: min }), ...(max !== undefined && { maxValue: max }) };
  const described = (): Mapping => {
    if (options !== undefined) {
      const coding = choiceCoding(settings, path);
      const values = [...coding.values.values()];
      if (values.some((value) => typeof value === "boolean"))
        return refuseSetting(`${path}.options`, "must be texts or numbers for an extra");
      const shown = [...new Set(values as (string | number)[])];
      return { coding, capabilities: [], extra: { ...known, fieldType: "OPTION", options: shown } };
    }
    if (type === "string")
      return { coding: textCoding(settings, path), capabilities: [], extra: { ...known, fieldType: "TEXT" } };
    if (type === "bool" || (type === undefined && isBits(table)))
      return {
        coding: booleanCoding(settings, path, true),
        capabilities: [],
        extra: { ...known, fieldType: "BOOL" },
      };
    const limits = { boolean: false, integer: false, least: min ?? -Infinity, most: max ?? Infinity };
    const coding = numberCoding(settings, plain, limits, path);
    return { coding, capabilities: [], extra: { ...known, fieldType: "NUMBER", ...range } };
  };
  const mapping = described();
  const problem = extrasProblem([mapping.extra]);
  if (problem !== undefined) refuseSetting(`${path}.attribute`, problem);
  return mapping;
}

function booleanCoding(settings: PointSettings, path: string, isExtraPoint = false): BooleanCoding {
  const { table, type = isBits(table) ? "bool" : undefined, bit, inverted = false } = settings;
  if (type !== "bool") refuseSetting(`${path}.type`, `must be bool for ${settings.attribute}`);
  if (bit !== undefined && isBits(table)) refuseSetting(`${path}.bit`, `a ${table} is already a single bit`);
  const numbersOnly = ["scale", "offset", "wordOrder", "byteOrder", "noValue", "minChange", "width"] as const;
  for (const field of isExtraPoint ? numbersOnly : ([...numbersOnly, "unit"] as const)) {
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "applies to numbers only");
  }
  return { kind: "boolean", bit, inverted };
}

function numberCoding(
  settings: PointSettings,
  unit: NumberCoding["unit"],
  range: ValueRange,
  path: string,
): NumberCoding {
  const { scale = 1, offset = 0, noValue = [] } = settings;
  const format = formatOf(settings, path);
  if (scale === 0) refuseSetting(`${path}.scale`, "must not be 0");
  return { kind: "number", format, scale, offset, unit, range, noValue, bits: bitsOf(settings, path) };
}

function choiceCoding(settings: PointSettings, path: string): ChoiceCoding {
  const { options = refuseSetting(`${path}.options`, "is missing") } = settings;
  for (const field of ["scale", "offset", "noValue", "minChange", "unit"] as const)
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "applies to numbers only");
  const format = formatOf(settings, path);
  if (!isInteger(format.type)) refuseSetting(`${path}.type`, "must be an integer type for options");
  return { kind: "choice", format, values: valuesOf(options), bits: bitsOf(settings, path) };
}

function textCoding(settings: PointSettings, path: string): TextCoding {
  const { table, length = refuseSetting(`${path}.length`, "is missing"), byteOrder = "big" } = settings;
  if (isBits(table)) refuseSetting(`${path}.table`, `a ${table} cannot hold a text`);
  for (const field of [
    "scale",
    "offset",
    "noValue",
    "minChange",
    "bit",
    "width",
    "inverted",
    "wordOrder",
  ] as const)
    if (settings[field] !== undefined) refuseSetting(`${path}.${field}`, "does not apply to texts");
  return { kind: "text", registers: length, byteOrder };
}

function formatOf(settings: PointSettings, path: string): NumberCoding["format"] {
  const { attribute, table, type, wordOrder = "big", byteOrder = "big", inverted } = settings;
  if (isBits(table)) return refuseSetting(`${path}.table`, `a ${table} cannot hold ${attribute}`);
  if (type === undefined || type === "bool" || type === "string")
    return refuseSetting(`${path}.type`, `must be a number type for ${attribute}`);
  if (inverted !== undefined) refuseSetting(`${path}.inverted`, "applies to booleans only");
  return { type, wordOrder, byteOrder };
}

function bitsOf({ type, bit, width }: PointSettings, path: string): Bits | undefined {
  if (bit === undefined && width === undefined) return undefined;
  if (width === undefined) return refuseSetting(`${path}.bit`, "of a number needs a width");
  if (bit === undefined) return refuseSetting(`${path}.width`, "needs a bit");
  if (type !== "u16") refuseSetting(`${path}.type`, "must be u16 for bits of a register");
  if (bit + width > 16) refuseSetting(`${path}.width`, `${width} bits from ${bit} on end beyond bit 15`);
  return { bit, width };
}

function writtenCoding(coding: Coding, options: PointSettings["options"], path: string): Coding {
  if (options === undefined) return coding;
  if (coding.kind !== "choice")
    return refuseSetting(`${path}.options`, "applies to points with options only");
  const values = valuesOf(options);
  const readable = new Set(coding.values.values());
  for (const [raw, value] of values)
    if (!readable.has(value))
      refuseSetting(`${path}.options.${raw}`, `"${String(value)}" is none of the point's options`);
  return { ...coding, values };
}

const valuesOf = (options: NonNullable<PointSettings["options"]>): ReadonlyMap<number, Value> =>
  new Map(Object.entries(options).map(([raw, value]) => [Number(raw), value]));

const isBits = (table: Table): boolean => table === "coil" || table === "discrete";
const isReadOnly = (table: Table): boolean => table === "discrete" || table === "input";
