/** One message of a TCP connection: the number of its request, and its bytes from the unit on. */
export interface Message {
  readonly transaction: number;
  readonly bytes: Buffer;
}

/**
 * The messages among what came in (TCP implementation guide v1.0b, 3.1.3).
 * @returns `rest`: the beginning of the next; undefined when this is no Modbus and no message can be found again.
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

/** A request as sent: the header in front of the bytes from the unit on. */
export function toMessage({ transaction, bytes }: Message): Buffer {
  const header = Buffer.alloc(6);
  header.writeUInt16BE(transaction, 0);
  header.writeUInt16BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
