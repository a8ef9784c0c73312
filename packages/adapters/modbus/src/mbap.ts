/** A message of a TCP connection: its transaction number, and its bytes from the unit on. */
export interface Message {
  readonly transaction: number;
  readonly bytes: Buffer;
}

/**
 * Extracts the messages from received bytes (TCP implementation guide v1.0b, 3.1.3).
 * @returns `rest`: the start of the next message; undefined when the stream is not Modbus and cannot be
 * resynchronised.
 */
export function takeMessages(received: Buffer): {
  readonly messages: readonly Message[];
  readonly rest: Buffer | undefined;
} {
  const messages: Message[] = [];
  let rest = received;
  while (rest.length >= 6) {
    const length = rest.readUInt16BE(4);
    if (rest.readUInt16BE(2) !== 0 || length < 3 || length > 254) return { messages, rest: undefined };
    if (rest.length < 6 + length) break;
    messages.push({ transaction: rest.readUInt16BE(0), bytes: rest.subarray(6, 6 + length) });
    rest = rest.subarray(6 + length);
  }
  return { messages, rest };
}

/** Encodes a request: the header before the bytes from the unit on. */
export function toMessage({ transaction, bytes }: Message): Buffer {
  const header = Buffer.alloc(6);
  header.writeUInt16BE(transaction, 0);
  header.writeUInt16BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
