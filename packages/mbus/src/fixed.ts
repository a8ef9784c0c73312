// The fixed data structure, EN 1434-3: two counters. No longer recommended, but old meters use it.
import { bcdOf, integerOf } from "./data.ts";
import { MbusError } from "./error.ts";
import { idOf } from "./header.ts";

export interface FixedCounter {
  /** Stored counters are those of a due date. */
  readonly isStored: boolean;
  /** As `kWh` or `10 m^3/h`. */
  readonly unit: string;
  /** undefined if its digits are not decimal. */
  readonly value: number | undefined;
}

export interface FixedTelegram {
  readonly kind: "fixed";
  readonly id: string;
  /** Four bits; `fixedMedia` has the names. */
  readonly medium: number;
  readonly accessNumber: number;
  readonly status: number;
  readonly counters: readonly [FixedCounter, FixedCounter];
}

const decades = (unit: string): readonly string[] => [unit, `10 ${unit}`, `100 ${unit}`];

/** By the six bits of a counter's unit. */
const units: readonly string[] = [
  "h,m,s",
  "D,M,Y",
  ...["Wh", "kWh", "MWh", "kJ", "MJ", "GJ", "W", "kW", "MW", "kJ/h", "MJ/h", "GJ/h"].flatMap(decades),
  ...["ml", "l", "m^3", "ml/h", "l/h", "m^3/h"].flatMap(decades),
  "1e-3 °C",
  "units for HCA",
  "reserved",
  "reserved",
  "reserved",
  "reserved",
  "reserved but historic",
  "without units",
];
/** The unit of a second counter that holds an earlier value of the first. */
const historic = 0x3e;
const fixedLength = 16;

/** Reads the data behind CI 73h (lowest byte first) or 77h. @throws MbusError `truncated` or `record` */
export function readFixed(data: Uint8Array, isHighFirst = false): FixedTelegram {
  if (data.length < fixedLength)
    throw new MbusError("truncated", `fixed data has ${fixedLength} bytes, not ${data.length}`);
  if (data.length > fixedLength)
    throw new MbusError("record", `fixed data has ${fixedLength} bytes, not ${data.length}`);
  const ordered = (from: number): Uint8Array =>
    isHighFirst ? data.slice(from, from + 4).toReversed() : data.subarray(from, from + 4);
  const [accessNumber = 0, status = 0, first = 0, second = 0] = data.subarray(4, 8);
  const isBinary = (status & 0x01) !== 0;
  const counter = (from: number, unit: number, isStored: boolean): FixedCounter => {
    const raw = isBinary ? undefined : bcdOf(ordered(from));
    const value =
      raw === undefined ? integerOf(ordered(from)) : raw.kind === "number" ? raw.value : undefined;
    return { isStored, unit: units[unit] as string, value };
  };
  const isStored = (status & 0x02) !== 0;
  const [unit, other] = [first & 0x3f, second & 0x3f];
  return {
    kind: "fixed",
    id: idOf(ordered(0)),
    medium: (first >> 6) | ((second >> 6) << 2),
    accessNumber,
    status,
    counters: [
      counter(8, unit, isStored),
      other === historic ? counter(12, unit, true) : counter(12, other, isStored),
    ],
  };
}
