// VIFEs that follow a VIF and change what it means, EN 13757-3, tables of combinable VIF extensions.
import { hexByte } from "../hex.ts";

/** How a combinable VIFE changes the value of its record. Without a field the value stays as it is. */
export interface Combined {
  /** What the VIFE says, in words. */
  readonly qualifier?: string;
  /** The value is in units of 10^exponent more. */
  readonly exponent?: number;
  /** 10^addend units are added. */
  readonly addend?: number;
  /** The value is a point in time instead of the VIF's quantity. */
  readonly isTimePoint?: true;
  /** The value is a duration instead of the VIF's quantity, in units of this many seconds. */
  readonly seconds?: number;
}

const fixed: Readonly<Record<number, string>> = {
  0x00: "no error",
  0x01: "error: too many DIFEs",
  0x02: "error: storage number not implemented",
  0x03: "error: device not implemented",
  0x04: "error: tariff not implemented",
  0x05: "error: function not implemented",
  0x06: "error: data class not implemented",
  0x07: "error: data size not implemented",
  0x0b: "error: too many VIFEs",
  0x0c: "error: illegal VIF group",
  0x0d: "error: illegal VIF exponent",
  0x0e: "error: VIF does not fit DIF",
  0x0f: "error: action not implemented",
  0x12: "average value",
  0x13: "inverse compact profile",
  0x14: "relative deviation",
  0x15: "error: no data available",
  0x16: "error: data overflow",
  0x17: "error: data underflow",
  0x18: "error: data error",
  0x1c: "error: premature end of record",
  0x1d: "standard conform data content",
  0x1e: "compact profile with register numbers",
  0x1f: "compact profile",
  0x20: "per second",
  0x21: "per minute",
  0x22: "per hour",
  0x23: "per day",
  0x24: "per week",
  0x25: "per month",
  0x26: "per year",
  0x27: "per revolution or measurement",
  0x28: "increment per input pulse on channel 0",
  0x29: "increment per input pulse on channel 1",
  0x2a: "increment per output pulse on channel 0",
  0x2b: "increment per output pulse on channel 1",
  0x2c: "per litre",
  0x2d: "per m^3",
  0x2e: "per kg",
  0x2f: "per K",
  0x30: "per kWh",
  0x31: "per GJ",
  0x32: "per kW",
  0x33: "per (K*l)",
  0x34: "per V",
  0x35: "per A",
  0x36: "multiplied by s",
  0x37: "multiplied by s/V",
  0x38: "multiplied by s/A",
  0x3a: "uncorrected unit",
  0x3b: "accumulation only if positive",
  0x3c: "accumulation of absolute value only if negative",
  0x3d: "non-metric unit",
  0x3e: "value at base conditions",
  0x3f: "OBIS declaration",
  0x40: "lower limit",
  0x41: "number of exceeds of lower limit",
  0x48: "upper limit",
  0x49: "number of exceeds of upper limit",
  0x68: "value during lower limit exceed",
  0x69: "leakage value",
  0x6c: "value during upper limit exceed",
  0x6d: "overflow value",
  0x7e: "future value",
  0x7f: "manufacturer specific",
};

const secondsOf = [1, 60, 3600, 86_400] as const;

const combinable: readonly Combined[] = Array.from({ length: 128 }, (_, code) => {
  const qualifier = fixed[code];
  if (qualifier !== undefined) return { qualifier };
  const seconds = secondsOf[code & 0x03] as number;
  const firstOrLast = (bit: number): string => ((code & bit) === 0 ? "first" : "last");
  const beginOrEnd = (code & 0x01) === 0 ? "begin" : "end";
  const limit = (code & 0x08) === 0 ? "lower" : "upper";
  if (code === 0x39) return { qualifier: "start", isTimePoint: true };
  // E100 uf1b
  if ((code & 0x72) === 0x42)
    return { qualifier: `${beginOrEnd} of ${firstOrLast(0x04)} ${limit} limit exceed`, isTimePoint: true };
  // E101 ufnn
  if ((code & 0x70) === 0x50)
    return { qualifier: `duration of ${firstOrLast(0x04)} ${limit} limit exceed`, seconds };
  // E110 0fnn
  if ((code & 0x78) === 0x60) return { qualifier: `duration of ${firstOrLast(0x04)}`, seconds };
  // E110 1f1b
  if ((code & 0x7a) === 0x6a)
    return { qualifier: `${beginOrEnd} of ${firstOrLast(0x04)}`, isTimePoint: true };
  if ((code & 0x78) === 0x70) return { exponent: (code & 0x07) - 6 };
  if ((code & 0x7c) === 0x78) return { addend: (code & 0x03) - 3 };
  if (code === 0x7d) return { exponent: 3 };
  return { qualifier: `reserved VIFE ${hexByte(code)}` };
});

/** What the second table holds, after the VIFE FCh. */
const furtherFixed: Readonly<Record<number, string>> = {
  0x01: "at phase L1",
  0x02: "at phase L2",
  0x03: "at phase L3",
  0x04: "at neutral",
  0x05: "between phases L1 and L2",
  0x06: "between phases L2 and L3",
  0x07: "between phases L3 and L1",
  0x08: "at quadrant Q1",
  0x09: "at quadrant Q2",
  0x0a: "at quadrant Q3",
  0x0b: "at quadrant Q4",
  0x0c: "delta between import and export",
  0x10: "accumulation of absolute value, positive and negative",
  0x11: "data presented with type C",
  0x12: "data presented with type D",
};

/** Returns what a combinable VIFE says. @param code without the extension bit */
export function combinedBy(code: number): Combined {
  return combinable[code & 0x7f] as Combined;
}

/** Returns what a VIFE of the second table says. @param code without the extension bit */
export function furtherCombinedBy(code: number): Combined {
  return { qualifier: furtherFixed[code & 0x7f] ?? `reserved VIFE FC ${hexByte(code & 0x7f)}` };
}
