import { createHash } from "node:crypto";

/**
 * Returns the id of a hub from its identity key: a UUID of version 8 (RFC 9562 5.8) made of a SHA-256.
 * Without the key nobody can prove to have this id.
 * @param x of the public key (RFC 8037), base64url
 */
export function hubIdOfKey(x: string): string {
  const digest = createHash("sha256").update(`ledge hub ${x}`).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
