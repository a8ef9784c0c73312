import { crc32 } from "node:zlib";
import type { Origin } from "@ledge/model";
import { limits } from "@ledge/model";
import { isNumeric, type Sample } from "./sample.ts";

/*
 * A chunk holds some samples of one series, in columns, all little-endian:
 *
 *   0  u32  CRC-32 of what follows       8  f64  timestamp of the first sample
 *   4  u16  number of samples           16  u32  bytes of the dictionary
 *   6  u8   kind                        20  u32  0
 *   7  u8   bytes of a time: 4 or 8
 *
 *   then the times (ms since the first), the indexes (u32), the origins (u8, places in the dictionary), the values
 *   (numbers: f64, NaN for null; others: u8, places in the dictionary; references: none), and the dictionary, which
 *   is JSON: {"origins": [...], "values": [...]}.
 *
 * Its head is stored separately, so that a summary of the chunk can be read without the chunk.
 */
const headerBytes = 24;

/** What a chunk holds: numbers and null, any JSON values, or references to events. */
export type ChunkKind = "numbers" | "values" | "references";
const kinds: readonly ChunkKind[] = ["numbers", "values", "references"];

/** The maximum number of distinct values in a chunk, because the place of a value takes a byte. */
const dictionaryValues = 255;

/**
 * The summary of a chunk. The values are those of its numbers, null without any. A value holds until the next
 * sample.
 */
export interface Head {
  readonly kind: ChunkKind;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly firstValue: number | null;
  readonly lastValue: number | null;
  /** The sum of value x ms from the first sample to the last, and for how many of these ms a value was known. */
  readonly area: number;
  readonly knownMs: number;
}

/** Collects the samples of a new chunk. */
export class ChunkBuilder {
  readonly kind: ChunkKind;
  readonly samples: Sample[] = [];
  readonly #values = new Set<string>();
  readonly #origins = new Set<Origin>();
  #chars = 0;

  constructor(kind: ChunkKind, samples: Iterable<Sample> = []) {
    this.kind = kind;
    for (const sample of samples) this.add(sample);
  }

  /** Whether a sample fits into this chunk. */
  takes({ value, origin }: Sample): boolean {
    if (this.samples.length >= limits.historyChunkSamples) return false;
    if (!this.#origins.has(origin) && this.#origins.size >= dictionaryValues) return false;
    if (this.kind === "references") return true;
    if (this.kind === "numbers") return isNumeric(value);
    const text = JSON.stringify(value);
    if (this.#values.has(text)) return true;
    return this.#values.size < dictionaryValues && this.#chars + text.length <= limits.historyDictionaryChars;
  }

  add(sample: Sample): void {
    this.samples.push(sample);
    this.#origins.add(sample.origin);
    if (this.kind !== "values") return;
    const text = JSON.stringify(sample.value);
    if (!this.#values.has(text)) this.#chars += text.length;
    this.#values.add(text);
  }

  get first(): Sample {
    return this.samples[0] as Sample;
  }

  encode(): Buffer {
    const { samples, kind } = this;
    const { timestamp: first } = this.first;
    const origins = [...this.#origins];
    const values = [...this.#values];
    const dictionary = Buffer.from(
      `{"origins":${JSON.stringify(origins)},"values":[${values.join(",")}]}`,
      "utf8",
    );
    const span = (samples.at(-1) as Sample).timestamp - first;
    const columns = columnsOf(kind, samples.length, span < 2 ** 32 ? 4 : 8);
    const bytes = Buffer.alloc(columns.end + dictionary.length);
    bytes.writeUInt16LE(samples.length, 4);
    bytes.writeUInt8(kinds.indexOf(kind), 6);
    bytes.writeUInt8(columns.timeBytes, 7);
    bytes.writeDoubleLE(first, 8);
    bytes.writeUInt32LE(dictionary.length, 16);
    const originPlaces = new Map(origins.map((origin, place) => [origin, place]));
    const valuePlaces = new Map(values.map((text, place) => [text, place]));
    for (const [i, { timestamp, index, value, origin }] of samples.entries()) {
      const delta = timestamp - first;
      if (columns.timeBytes === 4) bytes.writeUInt32LE(delta, columns.times + 4 * i);
      else bytes.writeDoubleLE(delta, columns.times + 8 * i);
      bytes.writeUInt32LE(index, columns.indexes + 4 * i);
      bytes.writeUInt8(originPlaces.get(origin) ?? 0, columns.origins + i);
      if (kind === "numbers")
        bytes.writeDoubleLE(value === null ? Number.NaN : (value as number), columns.values + 8 * i);
      else if (kind === "values")
        bytes.writeUInt8(valuePlaces.get(JSON.stringify(value)) ?? 0, columns.values + i);
    }
    dictionary.copy(bytes, columns.end);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
    return bytes;
  }

  head(): Head {
    const { samples, kind } = this;
    const last = samples.at(-1) as Sample;
    const numbers = kind === "numbers" ? samples.map(({ value }) => value as number | null) : [];
    let min: number | null = null;
    let max: number | null = null;
    let [area, knownMs] = [0, 0];
    for (const [i, value] of numbers.entries()) {
      if (value === null) continue;
      min = min === null ? value : Math.min(min, value);
      max = max === null ? value : Math.max(max, value);
      const [here, next] = [samples[i], samples[i + 1]];
      if (here === undefined || next === undefined) continue;
      area += value * (next.timestamp - here.timestamp);
      knownMs += next.timestamp - here.timestamp;
    }
    return {
      kind,
      count: samples.length,
      first: this.first.timestamp,
      last: last.timestamp,
      min,
      max,
      firstValue: numbers[0] ?? null,
      lastValue: numbers.at(-1) ?? null,
      area,
      knownMs,
    };
  }
}

interface Columns {
  readonly timeBytes: 4 | 8;
  readonly times: number;
  readonly indexes: number;
  readonly origins: number;
  readonly values: number;
  readonly end: number;
}

/** Returns the places of the columns for this many samples. */
function columnsOf(kind: ChunkKind, count: number, timeBytes: 4 | 8): Columns {
  const indexes = headerBytes + timeBytes * count;
  const origins = indexes + 4 * count;
  const values = origins + count;
  const valueBytes = { numbers: 8, values: 1, references: 0 }[kind];
  return { timeBytes, times: headerBytes, indexes, origins, values, end: values + valueBytes * count };
}

/** Returns the samples of a chunk, or undefined when it is damaged. */
export function decodeChunk(bytes: Buffer): { kind: ChunkKind; samples: Sample[] } | undefined {
  if (bytes.length < headerBytes || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
  const kind = kinds[bytes.readUInt8(6)];
  const timeBytes = bytes.readUInt8(7);
  if (kind === undefined || (timeBytes !== 4 && timeBytes !== 8)) return undefined;
  const count = bytes.readUInt16LE(4);
  const columns = columnsOf(kind, count, timeBytes);
  if (columns.end + bytes.readUInt32LE(16) !== bytes.length) return undefined;
  const { origins, values } = JSON.parse(bytes.toString("utf8", columns.end)) as {
    origins: Origin[];
    values: unknown[];
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = view.getFloat64(8, true);
  const samples: Sample[] = [];
  for (let i = 0; i < count; i++) {
    const delta =
      timeBytes === 4
        ? view.getUint32(columns.times + 4 * i, true)
        : view.getFloat64(columns.times + 8 * i, true);
    samples.push({
      timestamp: first + delta,
      index: view.getUint32(columns.indexes + 4 * i, true),
      value: valueAt(view, columns, kind, values, i),
      origin: origins[view.getUint8(columns.origins + i)] ?? "device",
    });
  }
  return { kind, samples };
}

function valueAt(
  view: DataView,
  columns: Columns,
  kind: ChunkKind,
  values: readonly unknown[],
  i: number,
): unknown {
  if (kind === "references") return null;
  if (kind === "values") return values[view.getUint8(columns.values + i)];
  const value = view.getFloat64(columns.values + 8 * i, true);
  return Number.isNaN(value) ? null : value;
}

/*
 * A head: u32 CRC-32 of what follows, u8 kind, 3 bytes 0, u32 count, u32 0, then eight f64: first, last, min,
 * max, first value, last value (NaN for null), area, ms.
 */
const headBytes = 80;

export function encodeHead(head: Head): Buffer {
  const bytes = Buffer.alloc(headBytes);
  bytes.writeUInt8(kinds.indexOf(head.kind), 4);
  bytes.writeUInt32LE(head.count, 8);
  const { first, last, min, max, firstValue, lastValue, area, knownMs } = head;
  for (const [i, number] of [first, last, min, max, firstValue, lastValue, area, knownMs].entries())
    bytes.writeDoubleLE(number ?? Number.NaN, 16 + 8 * i);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

/** Decodes a head, or returns undefined when it is damaged. */
export function decodeHead(bytes: Buffer): Head | undefined {
  if (bytes.length !== headBytes || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
  const kind = kinds[bytes.readUInt8(4)];
  if (kind === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = (i: number): number => view.getFloat64(16 + 8 * i, true);
  const numberAt = (i: number): number | null => (Number.isNaN(at(i)) ? null : at(i));
  return {
    kind,
    count: view.getUint32(8, true),
    first: at(0),
    last: at(1),
    min: numberAt(2),
    max: numberAt(3),
    firstValue: numberAt(4),
    lastValue: numberAt(5),
    area: at(6),
    knownMs: at(7),
  };
}
