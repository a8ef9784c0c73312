import { Decoder } from "@msgpack/msgpack";
import { refuseMalformed } from "./messagepack-shape.ts";
import { ProtocolError } from "./messages.ts";

const decoder = new Decoder();

/**
 * Returns the one value in MessagePack bytes from outside. Refuses bytes that announce more than they hold before it
 * reserves memory for a value, keys that are neither text nor number, and the key `__proto__`.
 * @param depthMax how many lists and maps may be in one another
 * @throws ProtocolError
 */
export function decodeMessagePack(bytes: Uint8Array, depthMax: number): unknown {
  refuseMalformed(bytes, depthMax);
  try {
    // Bytes in a value are of the class of what is decoded: never a Buffer, however they arrived.
    return decoder.decode(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch {
    throw new ProtocolError("the bytes are no MessagePack");
  }
}
