import { hash } from "node:crypto";
import type { Commit, LoggedEvent } from "@ledge/model";
import { crc32c, signedCrc32cOfSpan } from "./crc32c.ts";

/*
 * A frame is one commit on disk. Numbers are little-endian. A block is one or more frames back to back.
 *
 * | offset | bytes | content                                                                |
 * |-------:|------:|------------------------------------------------------------------------|
 * |      0 |     4 | magic: "LDG1"; its digit is the version of this table                  |
 * |      4 |     4 | CRC-32C of everything behind it                                        |
 * |      8 |     4 | n, length of the payload                                               |
 * |     12 |     4 | number of events                                                       |
 * |     16 |     8 | timestamp, ms since the epoch, at most 2^53 - 1                        |
 * |     24 |     8 | sequence number, from 1 without gaps, at most 2^53 - 1                 |
 * |     32 |    16 | the first 16 bytes of the previous frame's SHA-256; zeros in the first |
 * |     48 |     n | payload: the events as a JSON array in UTF-8                           |
 *
 * When compaction has removed events from a commit, its payload holds a number in place of each run of removed
 * events: how many there were.
 */
/** The name of this format: what a frame begins with. */
export const frameFormat = "LDG1";
const magic = 0x3147_444c;
const crcAt = 4;
const checkedFrom = 8;
const lengthAt = 8;
const countAt = 12;
const timestampAt = 16;
const sequenceAt = 24;
const previousAt = 32;
export const frameHeaderBytes = 48;
const hashBytes = 16;

/** Takes the place of a previous hash in the first frame. */
export const noHash: Uint8Array = new Uint8Array(hashBytes);

/** The content of a payload. */
export type Payload = Pick<Commit, "events" | "indexes">;

/** A frame with a correct checksum, by its place in a block; offsets and sizes in bytes. */
export interface Frame {
  readonly start: number;
  readonly end: number;
  readonly timestamp: number;
  readonly sequence: number;
  readonly count: number;
}

/**
 * Encodes a commit as a frame.
 * @param sequence the previous frame's plus 1
 * @param previous `frameHash` of the previous frame, `noHash` for the first
 * @throws TypeError when an event is not JSON (a bigint, a cycle)
 */
export function encodeFrame(commit: Commit, sequence: number, previous: Uint8Array): Buffer {
  const payload = JSON.stringify(withHoles(commit));
  const length = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(frameHeaderBytes + length);
  frame.writeUInt32LE(magic, 0);
  frame.writeUInt32LE(length, lengthAt);
  writeUint53(frame, commit.timestamp, timestampAt);
  writeUint53(frame, sequence, sequenceAt);
  frame.writeUInt32LE(commit.events.length, countAt);
  frame.set(previous, previousAt);
  frame.write(payload, frameHeaderBytes, "utf8");
  frame.writeUInt32LE(crc32c(frame.subarray(checkedFrom)), crcAt);
  return frame;
}

/**
 * Returns the frame that starts at `start`, or a text that says what is wrong there. Accepts any bytes: it checks
 * every size before use.
 */
export function frameAt(block: DataView, start: number): Frame | string {
  if (block.byteLength - start < frameHeaderBytes) return "cut short within a frame's header";
  if (block.getUint32(start, true) !== magic) return "no frame begins here";
  const end = start + frameHeaderBytes + block.getUint32(start + lengthAt, true);
  if (end > block.byteLength) return "cut short within a frame's payload";
  const checksum = signedCrc32cOfSpan(block, start + checkedFrom, end);
  if (checksum !== block.getInt32(start + crcAt, true)) return "wrong checksum";
  const timestamp = readUint53(block, start + timestampAt);
  const sequence = readUint53(block, start + sequenceAt);
  if (!Number.isSafeInteger(timestamp) || !Number.isSafeInteger(sequence)) return "a number beyond 2^53";
  return { start, end, timestamp, sequence, count: block.getUint32(start + countAt, true) };
}

/** Whether the block holds a whole frame anywhere after `start`. */
export function frameBehind(block: DataView, start: number): boolean {
  for (let at = start + 1; at <= block.byteLength - frameHeaderBytes; at++) {
    if (block.getUint32(at, true) === magic && typeof frameAt(block, at) !== "string") return true;
  }
  return false;
}

/**
 * Yields what the headers of frames from `start` on say, whether or not the frames are whole. The headers may be
 * damaged too.
 */
export function* headsIn(
  block: DataView,
  start: number,
): Generator<Pick<Frame, "timestamp" | "sequence" | "count">> {
  for (let at = start; at <= block.byteLength - frameHeaderBytes; at++) {
    if (block.getUint32(at, true) !== magic) continue;
    const timestamp = readUint53(block, at + timestampAt);
    const sequence = readUint53(block, at + sequenceAt);
    yield { timestamp, sequence, count: block.getUint32(at + countAt, true) };
  }
}

/** Returns the offset in the block at which the events of a frame begin. */
export function payloadStart({ start }: Pick<Frame, "start">): number {
  return start + frameHeaderBytes;
}

/**
 * Returns the events of a frame and their indexes, or undefined when its payload is not an array of as many
 * events as the header says.
 */
export function frameEvents(block: Buffer, frame: Frame): Payload | undefined {
  const list = parsed(block.toString("utf8", frame.start + frameHeaderBytes, frame.end));
  if (!Array.isArray(list)) return undefined;
  const found = list.length === frame.count ? { events: list as LoggedEvent[] } : withoutHoles(list);
  return found.events.length === frame.count ? found : undefined;
}

function withHoles({ events, indexes }: Payload): readonly unknown[] {
  if (indexes === undefined) return events;
  const list: unknown[] = [];
  let next = 0;
  for (const [place, event] of events.entries()) {
    const index = indexes[place] ?? Number.NaN;
    if (!(Number.isSafeInteger(index) && index >= next))
      throw new TypeError(`the indexes of a commit do not rise: ${indexes.join()}`);
    if (index > next) list.push(index - next);
    list.push(event);
    next = index + 1;
  }
  return list;
}

function withoutHoles(list: readonly unknown[]): Payload {
  const events: LoggedEvent[] = [];
  const indexes: number[] = [];
  let index = 0;
  for (const entry of list) {
    if (typeof entry === "number") {
      index += entry;
    } else {
      events.push(entry as LoggedEvent);
      indexes.push(index);
      index += 1;
    }
  }
  return { events, indexes };
}

/** Returns the 16-byte hash by which the next frame names this one. */
export function frameHash(block: Buffer, frame: Pick<Frame, "start" | "end">): Uint8Array {
  return hash("sha256", block.subarray(frame.start, frame.end), "buffer").subarray(0, hashBytes);
}

/** Returns the 16-byte hash by which this frame names the one before. */
export function previousHash(block: Buffer, frame: Frame): Buffer {
  return block.subarray(frame.start + previousAt, frame.start + previousAt + hashBytes);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function writeUint53(target: Buffer, value: number, at: number): void {
  target.writeUInt32LE(value % 2 ** 32, at);
  target.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

function readUint53(source: DataView, at: number): number {
  return source.getUint32(at, true) + source.getUint32(at + 4, true) * 2 ** 32;
}
