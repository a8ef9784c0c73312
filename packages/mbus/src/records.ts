// The records of the variable data structure, EN 13757-3: what a DIF, its DIFEs, a VIF and its VIFEs say of data.
import { codings, lengths, type Raw, rawOf, reversedText, variableOf, variableRaw } from "./data.ts";
import { type TimePoint, timePointOf } from "./dates.ts";
import { MbusError } from "./error.ts";
import { hexByte } from "./hex.ts";
import { isTextVif, type Meaning, meaningOf } from "./vif/meaning.ts";

/** A value in the unit of its record, or what a meter sends in place of a number. */
export type Value = Raw | { readonly kind: "time"; readonly time: TimePoint };

export type RecordFunction = "instantaneous" | "maximum" | "minimum" | "error";

/** One value of a meter. */
export interface DataRecord {
  /** `error`: the value was taken while the meter was in an error state. */
  readonly function: RecordFunction;
  /** 0 is the present value; higher numbers are stored ones, such as those of the last due date. */
  readonly storage: number;
  readonly tariff: number;
  /** A part of the meter, as the input of a pulse counter. */
  readonly device: number;
  /** In the terms of EN 13757-3, as `Energy`; the meter's own text if its VIF is one. */
  readonly quantity: string;
  /** As `Wh` or `m^3/h`; `-` for points in time, empty for counts, codes and texts. */
  readonly unit: string;
  readonly value: Value;
  /** What VIFEs say of the value, as `per hour` or `accumulation only if positive`. */
  readonly qualifiers: readonly string[];
  /** DIF and DIFEs. */
  readonly dib: Uint8Array;
  /** VIF and VIFEs; empty for a request of all data (DIF 7Fh). */
  readonly vib: Uint8Array;
  /** The text of a VIF 7Ch. */
  readonly vifText?: string;
  /** The data, lowest byte first. */
  readonly data: Uint8Array;
}

/** The records of a telegram, and what stands behind them. */
export interface Records {
  readonly records: readonly DataRecord[];
  /** What follows a DIF 0Fh or 1Fh; absent if there is none. */
  readonly manufacturerData?: Uint8Array;
  /** The meter has more data: the next REQ_UD2 with a toggled FCB asks for it. */
  readonly moreFollow: boolean;
}

const difs = { manufacturer: 0x0f, more: 0x1f, filler: 0x2f, allData: 0x7f } as const;
const functions: readonly RecordFunction[] = ["instantaneous", "maximum", "minimum", "error"];
/** The most DIFEs, and the most VIFEs, of a record. */
const mostExtensions = 10;

/**
 * Reads records to the end of the data.
 * @param isHighFirst whether the highest byte of numbers comes first (mode 2 of the CI field)
 * @throws MbusError `truncated` or `record`
 */
export function readRecords(bytes: Uint8Array, isHighFirst = false): Records {
  const records: DataRecord[] = [];
  let at = 0;
  while (at < bytes.length) {
    const dif = bytes[at] as number;
    if (dif === difs.filler) {
      at++;
    } else if (dif === difs.manufacturer || dif === difs.more) {
      return { records, manufacturerData: bytes.slice(at + 1), moreFollow: dif === difs.more };
    } else {
      const record = new RecordReader(bytes, at, records.length, isHighFirst);
      records.push(record.read());
      at = record.at;
    }
  }
  return { records, moreFollow: false };
}

class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #number: number;
  readonly #isHighFirst: boolean;
  at: number;

  constructor(bytes: Uint8Array, at: number, number: number, isHighFirst: boolean) {
    this.#bytes = bytes;
    this.at = at;
    this.#number = number;
    this.#isHighFirst = isHighFirst;
  }

  read(): DataRecord {
    const from = this.at;
    const dif = this.#next("DIF");
    if ((dif & 0x0f) === codings.special) return this.#special(dif);
    this.#extensions(dif, "DIFE");
    const dib = this.#bytes.slice(from, this.at);
    const { vib, text } = this.#valueInformation();
    const meaning = meaningOf(vib, text);
    const { data, raw } = this.#data(dif & 0x0f, meaning);
    const { quantity, unit, qualifiers } = meaning;
    const value = valueOf(raw, data, dif & 0x0f, meaning);
    const numbers = numbersOf(dib);
    const told = { ...numbers, quantity, unit, value, qualifiers, dib, vib, data };
    return text === undefined ? told : { ...told, vifText: text };
  }

  #special(dif: number): DataRecord {
    if (dif !== difs.allData) throw this.#error("record", `DIF ${hexByte(dif)} is reserved`);
    const none = new Uint8Array(0);
    const value = { kind: "none" } as const;
    const numbers = { function: "instantaneous", storage: 0, tariff: 0, device: 0 } as const;
    const told = { quantity: "Request of all data", unit: "", qualifiers: [] };
    return { ...numbers, ...told, value, dib: Uint8Array.of(dif), vib: none, data: none };
  }

  /** Goes past the bytes that extend a DIF or VIF. */
  #extensions(first: number, what: "DIFE" | "VIFE"): void {
    let byte = first;
    for (let count = 0; (byte & 0x80) !== 0; count++) {
      if (count === mostExtensions)
        throw this.#error("record", `there are more than ${mostExtensions} ${what}s`);
      byte = this.#next(what);
    }
  }

  #valueInformation(): { readonly vib: Uint8Array; readonly text: string | undefined } {
    const from = this.at;
    const vif = this.#next("VIF");
    if (!isTextVif(vif)) {
      this.#extensions(vif, "VIFE");
      return { vib: this.#bytes.slice(from, this.at), text: undefined };
    }
    const text = reversedText(this.#take(this.#next("length of the VIF's text"), "text of the VIF"));
    const rest = this.at;
    this.#extensions(vif, "VIFE");
    return { vib: Uint8Array.of(vif, ...this.#bytes.subarray(rest, this.at)), text };
  }

  #data(coding: number, meaning: Meaning): { readonly data: Uint8Array; readonly raw: Raw } {
    if (coding === codings.variable) {
      const lvar = this.#next("length of the data");
      const variable = variableOf(lvar);
      if (variable === undefined) throw this.#error("record", `the length ${hexByte(lvar)} is reserved`);
      const data = this.#take(variable.length, "data");
      const ordered = this.#isHighFirst && variable.as !== "text" ? data.toReversed() : data;
      return { data: ordered, raw: variableRaw(variable.as, ordered) };
    }
    const taken = this.#take(lengths[coding] as number, "data");
    const data = this.#isHighFirst ? taken.toReversed() : taken;
    return { data, raw: rawOf(coding, data, meaning.type === "unsigned") };
  }

  #next(what: string): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw this.#error("truncated", `the telegram ends before the ${what}`);
    this.at++;
    return byte;
  }

  #take(length: number, what: string): Uint8Array {
    if (this.at + length > this.#bytes.length)
      throw this.#error("truncated", `the telegram ends within the ${what}`);
    this.at += length;
    return this.#bytes.slice(this.at - length, this.at);
  }

  #error(code: "record" | "truncated", message: string): MbusError {
    return new MbusError(code, `record ${this.#number}, byte ${this.at}: ${message}`);
  }
}

/** Returns function, storage, tariff and device: the bits of each are spread over the DIF and the DIFEs. */
function numbersOf(dib: Uint8Array): Pick<DataRecord, "function" | "storage" | "tariff" | "device"> {
  const dif = dib[0] as number;
  let storage = (dif >> 6) & 0x01;
  let tariff = 0;
  let device = 0;
  for (let i = 1; i < dib.length; i++) {
    const dife = dib[i] as number;
    storage += (dife & 0x0f) * 2 * 16 ** (i - 1);
    tariff += ((dife >> 4) & 0x03) * 4 ** (i - 1);
    device += ((dife >> 6) & 0x01) * 2 ** (i - 1);
  }
  return { function: functions[(dif >> 4) & 0x03] as RecordFunction, storage, tariff, device };
}

function valueOf(raw: Raw, data: Uint8Array, coding: number, meaning: Meaning): Value {
  if (raw.kind !== "number") return raw;
  const { type, exponent, factor = 1, addend } = meaning;
  const isInteger = coding < codings.readout && coding !== codings.real;
  if ((type === "date" || type === "dateTime") && isInteger) {
    const time = timePointOf(data);
    if (time !== undefined) return { kind: "time", time };
  }
  const value = scaled(raw.value * factor, exponent);
  return { kind: "number", value: addend === 0 ? value : value + addend };
}

/** Returns a number in units of 10^exponent. Dividing keeps 12565 thousandths at 12.565. */
export function scaled(value: number, exponent: number): number {
  return exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent;
}
