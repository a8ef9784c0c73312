import { Readable, type Writable } from "node:stream";
import { limits } from "@ledge/model";

/** Whether HTTP/2 would have to buffer too much of a body that it is given at once. */
export function isLong(body: unknown): body is string | Uint8Array {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > limits.tunnelPieceBytes;
}

/**
 * Ends a stream of HTTP/2 with a long body in pieces. HTTP/2 buffers what it is given, and whole bodies would
 * fill the session's memory.
 */
export function endInPieces(stream: Writable, body: string | Uint8Array): void {
  Readable.from(piecesOf(Buffer.from(body as string))).pipe(stream);
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += limits.tunnelPieceBytes)
    yield body.subarray(at, at + limits.tunnelPieceBytes);
}
