/** What a series is of: an attribute of a device, or the events of an object. */
export type SeriesName =
  | readonly [of: "samples", device: string, attribute: string]
  | readonly [of: "events", kind: string, id: string];

/** LMDB takes keys of so many bytes; longer names are of no device that this hub would add. */
const nameBytes = 1024;

/** The key of a series, or undefined where its name is too long for one. */
export function seriesKey(name: SeriesName): Buffer | undefined {
  const key = Buffer.from(JSON.stringify(name));
  return key.length > nameBytes ? undefined : key;
}

export function seriesName(key: Uint8Array): SeriesName {
  return JSON.parse(Buffer.from(key).toString()) as SeriesName;
}

/** The keys of all series of samples of a device lie between the two. */
export function seriesOf(device: string): { readonly start: Buffer; readonly end: Buffer } {
  const prefix = Buffer.from(JSON.stringify(["samples", device]).slice(0, -1) + ",");
  return { start: prefix, end: Buffer.concat([prefix, Buffer.from([0xff])]) };
}

/** What stands behind the name of a series. */
export interface SeriesEntry {
  readonly number: number;
  /** When its device was removed (ms); 0 while it is there. */
  readonly removedAt: number;
}

export function encodeSeries({ number, removedAt }: SeriesEntry): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(number, 0);
  bytes.writeDoubleLE(removedAt, 4);
  return bytes;
}

export function decodeSeries(bytes: Buffer): SeriesEntry | undefined {
  if (bytes.length !== 12) return undefined;
  return { number: bytes.readUInt32LE(0), removedAt: bytes.readDoubleLE(4) };
}

/** Where a chunk stands: by its series and its first sample. */
export interface ChunkKey {
  readonly series: number;
  readonly timestamp: number;
  readonly index: number;
}

export function chunkKey({ series, timestamp, index }: ChunkKey): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(series, 0);
  key.writeBigUInt64BE(BigInt(timestamp), 4);
  key.writeUInt32BE(index, 12);
  return key;
}

export function parseChunkKey(key: Uint8Array): ChunkKey {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  return {
    series: view.getUint32(0),
    timestamp: Number(view.getBigUint64(4)),
    index: view.getUint32(12),
  };
}
