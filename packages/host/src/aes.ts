import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** The format of sealed bytes: nonce (12 bytes, random), AES-256-GCM ciphertext, tag (16 bytes). */
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** The length of a key in bytes. */
export const keyBytes = 32;
/** How many bytes sealing adds. */
export const sealBytes = nonceBytes + tagBytes;

/**
 * Seals bytes.
 * @param bound what to authenticate with them, such as their place
 */
export function encrypt(key: Uint8Array, bound: Uint8Array, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `encrypt` sealed; undefined with another key or `bound`, or for changed bytes. */
export function decrypt(key: Uint8Array, bound: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const end = sealed.length - tagBytes;
  if (end < nonceBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
