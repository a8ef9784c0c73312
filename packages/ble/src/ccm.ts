import { createDecipheriv } from "node:crypto";
import { BleError } from "./error.ts";

const tagBytes = 4;
const keyBytes = 16;

/**
 * Decrypts AES-128-CCM with a tag of 4 bytes.
 * @param aad additional data that the tag covers
 * @throws BleError `key` if the key has another length or the tag does not fit
 */
export function decryptCcm(
  key: Uint8Array,
  nonce: Uint8Array,
  encrypted: Uint8Array,
  tag: Uint8Array,
  aad?: Uint8Array,
): Uint8Array {
  if (key.length !== keyBytes) throw new BleError("key", `a key has ${keyBytes} bytes, not ${key.length}`);
  const decipher = createDecipheriv("aes-128-ccm", key, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(tag);
  if (aad !== undefined) decipher.setAAD(aad, { plaintextLength: encrypted.length });
  try {
    const plain = decipher.update(encrypted);
    decipher.final();
    return Uint8Array.from(plain);
  } catch {
    throw new BleError("key", "the key does not fit the advertisement");
  }
}
