// Bytes as a client of MessagePack sends them, and what Microsoft's parsers read of what the hub sends.
import { Encoder } from "@msgpack/msgpack";
import { JsonHubProtocol, NullLogger } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import type { Codec } from "./codec.ts";
import type { ClientMessage, Frame } from "./messages.ts";

const encoder = new Encoder();

export const readLimits = { maxMessageBytes: 65_536, maxDepth: 64 };

/** One record of the MessagePack protocol. The length prefix takes five bytes, which is allowed. */
export function packed(message: unknown): Uint8Array {
  return prefixed(encoder.encode(message));
}

/** A body with its length before it. */
export function prefixed(body: Uint8Array, length: number = body.length): Uint8Array {
  const prefix = [0, 7, 14, 21, 28].map((shift) => ((length >>> shift) & 0x7f) | (shift < 28 ? 0x80 : 0));
  return Buffer.concat([Uint8Array.from(prefix), body]);
}

/** The records of a text, each with the separator behind it. */
export function records(...texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.map((text) => `${text}\x1e`).join(""));
}

/** All messages in bytes that arrive at once. */
export function messagesIn(codec: Codec, bytes: Uint8Array): readonly ClientMessage[] {
  const reader = codec.reader(readLimits);
  reader.push(bytes);
  const messages: ClientMessage[] = [];
  for (let next = reader.next(); next !== undefined; next = reader.next()) messages.push(next);
  return messages;
}

/** What a client of Microsoft's reads of frames of the hub. It throws where it would end the connection. */
export function readByClient(codec: Codec, ...frames: readonly Frame[]): readonly unknown[] {
  const bytes = Buffer.concat(frames);
  if (!codec.isBinary) return new JsonHubProtocol().parseMessages(bytes.toString(), NullLogger.instance);
  const copy = new Uint8Array(bytes);
  return new MessagePackHubProtocol().parseMessages(copy.buffer, NullLogger.instance);
}

/** What a client of Microsoft's sends for one of its messages. */
export function writtenByClient(
  codec: Codec,
  message: Parameters<JsonHubProtocol["writeMessage"]>[0],
): Uint8Array {
  if (!codec.isBinary) return Buffer.from(new JsonHubProtocol().writeMessage(message));
  return new Uint8Array(new MessagePackHubProtocol().writeMessage(message));
}
