import { type Block, blockOf, nextFrame } from "../block.ts";
import { crc32cOfSpan } from "../crc32c.ts";
import { type Frame, frameAt } from "../frame.ts";
import { padded, pageBytes } from "./layout.ts";

/*
 * A frame of the journal is one block of commit frames, written at once. Numbers are little-endian.
 *
 * | offset | bytes | content                                                          |
 * |-------:|------:|------------------------------------------------------------------|
 * |      0 |     4 | magic: "LDJ1"; its digit is the version of this table            |
 * |      4 |     4 | CRC-32C of the rest of the header                                |
 * |      8 |     8 | epoch: a random number, the same as in the log that it continues |
 * |     16 |     4 | n, length of the block                                           |
 * |     20 |    12 | zeros                                                            |
 * |     32 |     n | the block; its frames carry their own checksums and numbers      |
 * |        |       | zeros up to a multiple of 4096                                   |
 *
 * The last page has a frame without a block until other frames reach it. A journal without any frame of its log's
 * epoch is therefore not the journal of that log.
 */
/** The name of this format: what a frame of the journal begins with. */
export const journalFormat = "LDJ1";
const magic = 0x314a_444c;
const crcAt = 4;
const epochAt = 8;
const lengthAt = 16;
export const journalHeaderBytes = 32;

/** A block found in the journal, with its first and last commit. */
export interface JournalBlock extends Block {
  readonly first: Frame;
  readonly last: Frame;
}

/** How many bytes a block takes in the journal. */
export function frameBytes(blockBytes: number): number {
  return padded(journalHeaderBytes + blockBytes);
}

/**
 * Writes the frame of a block to the start of `target`, padding included, and returns its size.
 * @param target at least `frameBytes` of the block
 */
export function writeFrame(target: Buffer, epoch: bigint, block: Uint8Array): number {
  const size = frameBytes(block.length);
  const end = journalHeaderBytes + block.length;
  target.fill(0, 0, journalHeaderBytes);
  target.writeUInt32LE(magic, 0);
  target.writeBigUInt64LE(epoch, epochAt);
  target.writeUInt32LE(block.length, lengthAt);
  target.writeUInt32LE(headerChecksum(new DataView(target.buffer, target.byteOffset), 0), crcAt);
  target.set(block, journalHeaderBytes);
  target.fill(0, end, size);
  return size;
}

/**
 * Yields the whole frames of an epoch in a region, from this lap or an older one, wherever they begin. Accepts
 * any bytes: it skips torn and foreign frames and everything else. Blocks are copies.
 * @param epoch undefined for frames of every epoch
 */
export function* blocksIn(region: Buffer, epoch: bigint | undefined): Generator<JournalBlock> {
  const view = new DataView(region.buffer, region.byteOffset, region.length);
  let at = 0;
  while (at + pageBytes <= region.length) {
    const block = blockAt(region, view, at, epoch);
    if (block !== undefined) yield block;
    at += block === undefined ? pageBytes : frameBytes(block.bytes.length);
  }
}

function blockAt(
  region: Buffer,
  view: DataView,
  at: number,
  epoch: bigint | undefined,
): JournalBlock | undefined {
  if (!isHeader(view, at, epoch)) return undefined;
  const start = at + journalHeaderBytes;
  const end = start + view.getUint32(at + lengthAt, true);
  if (end > region.length) return undefined;
  return wholeBlock(Buffer.from(region.subarray(start, end)));
}

/** Whether a region has a frame of an epoch, whole or not. */
export function holdsEpoch(region: Buffer, epoch: bigint): boolean {
  const view = new DataView(region.buffer, region.byteOffset, region.length);
  for (let at = 0; at + pageBytes <= region.length; at += pageBytes)
    if (isHeader(view, at, epoch)) return true;
  return false;
}

function isHeader(view: DataView, at: number, epoch: bigint | undefined): boolean {
  if (view.getUint32(at, true) !== magic) return false;
  if (epoch !== undefined && view.getBigUint64(at + epochAt, true) !== epoch) return false;
  return view.getUint32(at + crcAt, true) === headerChecksum(view, at);
}

/** Returns the block in these bytes, if every frame in it is whole and follows the one before. */
function wholeBlock(bytes: Buffer): JournalBlock | undefined {
  const { view } = blockOf(0, bytes);
  const first = frameAt(view, 0);
  if (typeof first === "string") return undefined;
  const block: Block = { timestamp: first.timestamp, bytes, view };
  let last = first;
  while (last.end < bytes.length) {
    const frame = nextFrame(block, last.end, last);
    if (typeof frame === "string") return undefined;
    last = frame;
  }
  return { ...block, first, last };
}

function headerChecksum(view: DataView, at: number): number {
  return crc32cOfSpan(view, at + epochAt, at + journalHeaderBytes);
}
