// Encrypted payloads, EN 13757-7 (before: EN 13757-3): what the configuration field says, and decryption in mode 5.
import { createDecipheriv } from "node:crypto";
import { MbusError } from "./error.ts";
import { fromHex } from "./hex.ts";
import type { Identity, Status } from "./header.ts";
import { manufacturerBits } from "./manufacturer.ts";

/** What is said of the encrypted part of a telegram. */
export interface Encryption {
  readonly mode: number;
  readonly name: string;
  /** Whether a key was there, so that the records include those that were encrypted. */
  readonly isDecrypted: boolean;
  /** The encrypted bytes. */
  readonly bytes: Uint8Array;
}

/** Returns the key (16 bytes) of a meter; undefined if none is known. */
export type KeyOf = (meter: Identity) => Uint8Array | undefined;

const names: Readonly<Record<number, string>> = {
  2: "DES in CBC mode, no initialisation vector",
  3: "DES in CBC mode",
  4: "AES-128 in CBC mode, no initialisation vector",
  5: "AES-128 in CBC mode",
  7: "AES-128 in CBC mode, ephemeral key",
  8: "AES-128 in CTR mode, with CMAC",
  9: "AES-128 in GCM mode",
  10: "AES-128 in CCM mode, ephemeral key",
  13: "TLS",
};

const blockLength = 16;

/**
 * Splits the data behind a header into what is encrypted and what is not.
 * @returns undefined if nothing is encrypted. A mode that the standard does not know is a signature of an older meter.
 */
export function encryptedPart(
  { signature }: Pick<Status, "signature">,
  data: Uint8Array,
):
  | { readonly mode: number; readonly name: string; readonly bytes: Uint8Array; readonly rest: Uint8Array }
  | undefined {
  const mode = (signature >> 8) & 0x1f;
  const name = names[mode];
  if (name === undefined) return undefined;
  const counts = mode === 4 || mode === 5 ? ((signature >> 4) & 0x0f) * blockLength : signature & 0xff;
  // Later modes extend the configuration field, and encrypt to the end.
  const length = mode <= 5 ? counts : data.length;
  if (length === 0) return undefined;
  if (length > data.length)
    throw new MbusError(
      "truncated",
      `${length} bytes are encrypted, but only ${data.length} follow the header`,
    );
  return { mode, name, bytes: data.slice(0, length), rest: data.slice(length) };
}

/**
 * Decrypts a payload of mode 5: AES-128-CBC. The initialisation vector is the meter's address and eight times the
 * access number.
 * @throws MbusError `key` if the key has another length, or the payload does not begin with 2F 2F, as it must
 */
export function decrypt(
  bytes: Uint8Array,
  key: Uint8Array,
  { id, manufacturer, version, medium }: Identity,
  accessNumber: number,
): Uint8Array {
  if (key.length !== blockLength) throw new MbusError("key", `a key has 16 bytes, not ${key.length}`);
  const maker = manufacturerBits(manufacturer);
  const address = [maker & 0xff, maker >> 8, ...fromHex(id).toReversed(), version, medium];
  const vector = Uint8Array.from([...address, ...Array<number>(8).fill(accessNumber)]);
  const decipher = createDecipheriv("aes-128-cbc", key, vector).setAutoPadding(false);
  const plain = Uint8Array.from([...decipher.update(bytes), ...decipher.final()]);
  if (plain[0] !== 0x2f || plain[1] !== 0x2f)
    throw new MbusError("key", `the key does not decrypt the payload of meter ${manufacturer} ${id}`);
  return plain;
}
