import type { ScryptOptions } from "node:crypto";
import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { limits } from "@ledge/model";
import { decrypt, encrypt, keyBytes, sealBytes } from "../aes.ts";
import type { KeyDerivation } from "./format.ts";
import { BackupError } from "./format.ts";

const hashed = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** About 64 MiB and a fifth of a second on a small board. */
const cost = { N: 65_536, r: 8, p: 2 } as const;

/** Returns the parameters of a new key, with a salt of its own. */
export function newDerivation(): KeyDerivation {
  return { name: "scrypt", ...cost, salt: randomBytes(16).toString("base64") };
}

/**
 * Derives the key of a passphrase. One at a time: a hash fills a core and tens of megabytes.
 * @throws BackupError `damaged` for parameters that this product never writes
 */
export async function deriveKey(passphrase: string, { N, r, p, salt }: KeyDerivation): Promise<Buffer> {
  const sizes = [N, r, p].every((size) => Number.isSafeInteger(size) && size > 0);
  const memory = 128 * N * r;
  if (!sizes || p > 16 || memory > limits.backupHashBytes)
    throw new BackupError("damaged", "the parameters of its key derivation are impossible");
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

/**
 * Seals a section. The section's place in the file is authenticated with it, so that sections cannot be
 * swapped.
 * @param place the number of the section
 */
export function seal(key: Buffer, place: number, payload: Uint8Array): Buffer {
  return encrypt(key, placeBytes(place), payload);
}

/**
 * Opens a section.
 * @throws BackupError `passphrase` with another key
 */
export function unseal(key: Buffer, place: number, sealed: Buffer): Buffer {
  if (sealed.length < sealBytes) throw new BackupError("damaged", "a sealed section is cut short");
  const payload = decrypt(key, placeBytes(place), sealed);
  if (payload === undefined) throw new BackupError("passphrase", "the passphrase is wrong");
  return payload;
}

function placeBytes(place: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(place);
  return bytes;
}
