import { fstatSync, readSync } from "node:fs";
import { limits } from "@ledge/model";
import { blockOf } from "../block.ts";
import { type Frame, frameAt, frameEvents, frameHash, previousHash } from "../frame.ts";
import type { FoundFrame, Piece } from "./runs.ts";

const magic = Buffer.from("LDG1");
/** How many bytes one step looks at. A frame may begin in one step and end in the next. */
const stepBytes = 16_777_216;

/**
 * Yields the whole frames in any bytes, wherever they begin. Skips everything in between.
 * @param piece the place of the bytes
 */
export function* framesIn(bytes: Buffer, piece: Piece): Generator<FoundFrame> {
  const { view } = blockOf(0, bytes);
  let at = 0;
  for (;;) {
    const frame = frameAt(view, at);
    if (typeof frame === "string" || frameEvents(bytes, frame) === undefined) {
      at = bytes.indexOf(magic, at + 1);
      if (at === -1) return;
      continue;
    }
    yield found(bytes, frame, piece);
    at = frame.end;
  }
}

function found(bytes: Buffer, frame: Frame, piece: Piece): FoundFrame {
  const { start, end, timestamp, sequence, count } = frame;
  return {
    timestamp,
    sequence,
    count,
    hash: Buffer.from(frameHash(bytes, frame)).toString("hex"),
    previous: previousHash(bytes, frame).toString("hex"),
    piece: { ...piece, position: piece.position + start, length: end - start },
  };
}

/** Yields every whole frame in a file, in use or left over from an earlier state. */
export function* framesInFile(descriptor: number): Generator<FoundFrame> {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.alloc(stepBytes + limits.commitBytes);
  let seen = 0;
  for (let position = 0; position < size; position += stepBytes) {
    const length = readSync(descriptor, bytes, 0, bytes.length, position);
    for (const frame of framesIn(bytes.subarray(0, length), { position, length })) {
      if (frame.piece.position >= position + stepBytes) break;
      if (frame.piece.position < seen) continue;
      seen = frame.piece.position + frame.piece.length;
      yield frame;
    }
  }
}
