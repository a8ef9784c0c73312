/** A request of a client: its number, which the answer repeats, the unit that it is for, and what it asks. */
export interface Asked {
  readonly transaction: number;
  readonly unit: number;
  readonly pdu: Buffer;
}

/** The longest message of the protocol: a header of 7 bytes and 253 of what is asked. */
export const longestMessage = 260;

/**
 * Extracts requests from received bytes (TCP implementation guide v1.0b, 3.1.3).
 * @returns `rest`: the start of the next request; undefined when the bytes are not Modbus, so that nobody can tell
 * where the next request begins.
 */
export function takeRequests(received: Buffer): {
  readonly requests: readonly Asked[];
  readonly rest: Buffer | undefined;
} {
  const requests: Asked[] = [];
  let rest = received;
  while (rest.length >= 6) {
    const length = rest.readUInt16BE(4);
    if (rest.readUInt16BE(2) !== 0 || length < 2 || length > longestMessage - 6)
      return { requests, rest: undefined };
    if (rest.length < 6 + length) break;
    const unit = rest[6] ?? 0;
    requests.push({ transaction: rest.readUInt16BE(0), unit, pdu: rest.subarray(7, 6 + length) });
    rest = rest.subarray(6 + length);
  }
  return { requests, rest };
}

/** Encodes the answer to a request. */
export function toAnswer({ transaction, unit }: Omit<Asked, "pdu">, pdu: Uint8Array): Buffer {
  const header = Buffer.alloc(7);
  header.writeUInt16BE(transaction, 0);
  header.writeUInt16BE(pdu.length + 1, 4);
  header.writeUInt8(unit, 6);
  return Buffer.concat([header, pdu]);
}
