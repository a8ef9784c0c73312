/** The subject of a series: an attribute of a device, or the events of an object. */
export type SeriesName =
  | readonly [of: "samples", device: string, attribute: string]
  | readonly [of: "events", kind: string, id: string];

/** The maximum length of a key in LMDB. No device that this hub accepts has a longer name. */
const nameBytes = 1024;

/** Returns the key of a series, or undefined when its name is too long. */
export function seriesKey(name: SeriesName): Buffer | undefined {
  const key = Buffer.from(JSON.stringify(name));
  return key.length > nameBytes ? undefined : key;
}

export function seriesName(key: Uint8Array): SeriesName {
  return JSON.parse(Buffer.from(key).toString()) as SeriesName;
}

/** Returns bounds that enclose the keys of all series of samples of a device. */
export function seriesOf(device: string): { readonly start: Buffer; readonly end: Buffer } {
  const prefix = Buffer.from(JSON.stringify(["samples", device]).slice(0, -1) + ",");
  return { start: prefix, end: Buffer.concat([prefix, Buffer.from([0xff])]) };
}

/** The stored value of a series. */
export interface SeriesEntry {
  readonly number: number;
  /** When its device was removed (ms); 0 while it exists. */
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

/** The key of a chunk: its series and its first sample. */
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
