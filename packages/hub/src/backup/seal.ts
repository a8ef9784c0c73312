import type { ScryptOptions } from "node:crypto";
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { limits } from "@ledge/model";
import type { KeyDerivation } from "./format.ts";
import { BackupError } from "./format.ts";

/*
 * A sealed payload: nonce (12 bytes, random), AES-256-GCM ciphertext, tag (16 bytes). The place of the section in
 * the file is authenticated with it, so that sections cannot change places.
 */
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

const hashed = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** About 64 MiB and a fifth of a second on a small board. */
const cost = { N: 65_536, r: 8, p: 2 } as const;

export function newDerivation(): KeyDerivation {
  return { name: "scrypt", ...cost, salt: randomBytes(16).toString("base64") };
}

/**
 * The key of a passphrase. One at a time: a hash fills a core and tens of megabytes.
 * @throws BackupError `damaged` when the parameters are none that this product writes
 */
export async function deriveKey(passphrase: string, { N, r, p, salt }: KeyDerivation): Promise<Buffer> {
  const sizes = [N, r, p].every((size) => Number.isSafeInteger(size) && size > 0);
  const memory = 128 * N * r;
  if (!sizes || p > 16 || memory > limits.backupHashBytes)
    throw new BackupError("damaged", "it asks for a hash of impossible parameters");
  const maxmem = memory + 128 * r * p + 1_048_576;
  try {
    return await hashed(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), keyBytes, {
      N,
      r,
      p,
      maxmem,
    });
  } catch (cause) {
    throw new BackupError("damaged", `its key cannot be derived: ${(cause as Error).message}`, { cause });
  }
}

/** @param place number of the section in its file */
export function seal(key: Buffer, place: number, payload: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(placeBytes(place));
  return Buffer.concat([nonce, cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
}

/** @throws BackupError `passphrase` when the key is another */
export function unseal(key: Buffer, place: number, sealed: Buffer): Buffer {
  const end = sealed.length - tagBytes;
  if (end < nonceBytes) throw new BackupError("damaged", "a sealed section is cut short");
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(placeBytes(place)).setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch (cause) {
    throw new BackupError("passphrase", "the passphrase is another", { cause });
  }
}

function placeBytes(place: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(place);
  return bytes;
}
