/*
 * A message: length of its key (u32), the key in UTF-8, bytes. An answer: 0 and bytes, or 1 and why the server failed in
 * UTF-8.
 */
const keyAt = 4;
const answered = 0;
const failed = 1;

export function encodeMessage(key: string, bytes: Uint8Array): Uint8Array {
  const size = Buffer.byteLength(key);
  const frame = Buffer.allocUnsafe(keyAt + size + bytes.length);
  frame.writeUInt32BE(size, 0);
  frame.write(key, keyAt);
  frame.set(bytes, keyAt + size);
  return frame;
}

/** Returns undefined for what no bus has sent. */
export function decodeMessage(frame: Uint8Array): { key: string; bytes: Uint8Array } | undefined {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  if (buffer.length < keyAt) return undefined;
  const end = keyAt + buffer.readUInt32BE(0);
  if (end > buffer.length) return undefined;
  return { key: buffer.toString("utf8", keyAt, end), bytes: buffer.subarray(end) };
}

export function encodeAnswer(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(answered), bytes]);
}

export function encodeFailure(reason: string): Uint8Array {
  return Buffer.concat([Buffer.of(failed), Buffer.from(reason)]);
}

/** Returns the bytes of an answer, or why there are none. */
export function decodeAnswer(frame: Uint8Array): Uint8Array | { readonly failure: string } {
  if (frame[0] === answered) return frame.slice(1);
  const reason = frame[0] === failed ? Buffer.from(frame.subarray(1)).toString() : "its answer is no answer";
  return { failure: reason };
}
