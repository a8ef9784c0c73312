// The first record in both directions, always JSON. Bytes behind it are messages of the protocol that it names.
import type { Codec } from "./codec.ts";
import { framed, jsonCodec, jsonOf } from "./json.ts";
import { messagePackCodec } from "./messagepack.ts";
import type { Frame } from "./messages.ts";

const codecs: readonly Codec[] = [jsonCodec, messagePackCodec];
/** Version 2 adds Ack and Sequence; a connection uses them if negotiation asked for stateful reconnect. */
const versionMax = 2;

/**
 * Reads a handshake request.
 * @param isTextOnly whether the transport cannot carry a binary encoding
 * @returns the encoding that the client asks for, or why it gets none
 * @throws ProtocolError if the record is no JSON object
 */
export function codecFor(record: Uint8Array, isTextOnly: boolean): Codec | { readonly refusal: string } {
  const { protocol, version } = jsonOf(record);
  const codec = codecs.find(({ name }) => name === protocol);
  if (codec === undefined) return { refusal: `The protocol '${String(protocol)}' is not supported.` };
  if (codec.isBinary && isTextOnly) {
    return { refusal: `The transport carries text only, and the protocol '${codec.name}' is binary.` };
  }
  if (!Number.isInteger(version) || Number(version) < 1 || Number(version) > versionMax) {
    return {
      refusal: `The server does not support version ${String(version)} of the '${codec.name}' protocol.`,
    };
  }
  return codec;
}

/** The answer to a handshake request. */
export function handshakeResponse(error?: string): Frame {
  return framed({ error });
}
