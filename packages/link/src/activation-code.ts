import { createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import { limits } from "@ledge/model";
import { fromBase32, toBase32 } from "./base32.ts";
import type { IssuerKey, KeySet } from "./signed.ts";

/** The contents of an activation code: features for one hub, usable once until it expires. */
export interface ActivationCode {
  /** Identifies a code of an issuer: 16 hexadecimal digits. */
  readonly serial: string;
  /** Feature codes of hub-api 2.1. */
  readonly features: readonly number[];
  /** ms since the epoch, in whole seconds. */
  readonly expires: number;
}

export type ActivationProblem = "malformed" | "signature" | "hub" | "expired";

/**
 * The offsets of version, serial, expiry (s, big-endian), digest of the hub's id, number of features, and
 * features.
 */
const head = { serial: 1, expires: 9, hub: 13, count: 29, features: 30 } as const;
const version = 1;
const signatureBytes = 64;

/** Signs an activation code for a hub: base32 in groups of five. */
export function signActivationCode(
  { serial, features, expires }: ActivationCode,
  hubId: string,
  key: Pick<IssuerKey, "privateJwk">,
): string {
  const content = Buffer.alloc(head.features + features.length);
  content.writeUInt8(version);
  content.write(serial, head.serial, 8, "hex");
  content.writeUInt32BE(Math.floor(expires / 1000), head.expires);
  content.set(digestOf(hubId), head.hub);
  content.writeUInt8(features.length, head.count);
  content.set(features, head.features);
  const privateKey = createPrivateKey({ key: key.privateJwk, format: "jwk" });
  const code = toBase32(Buffer.concat([content, sign(null, content, privateKey)]));
  return code.replaceAll(/.{5}(?=.)/g, "$&-");
}

/**
 * Reads an activation code for a hub.
 * @param keys the keys of issuers that the hub trusts
 * @param now ms since the epoch
 */
export function readActivationCode(
  code: string,
  { keys, hubId, now }: { readonly keys: KeySet; readonly hubId: string; readonly now: number },
): ActivationCode | ActivationProblem {
  if (code.length > limits.activationCodeChars) return "malformed";
  const bytes = Buffer.from(fromBase32(code) ?? []);
  const end = bytes.length - signatureBytes;
  if (end < head.features || bytes.readUInt8() !== version) return "malformed";
  if (end !== head.features + bytes.readUInt8(head.count)) return "malformed";
  const content = bytes.subarray(0, end);
  const isGenuine = [...keys.values()].some((jwk) =>
    verify(null, content, createPublicKey({ key: jwk, format: "jwk" }), bytes.subarray(end)),
  );
  if (!isGenuine) return "signature";
  if (!content.subarray(head.hub, head.count).equals(digestOf(hubId))) return "hub";
  const expires = content.readUInt32BE(head.expires) * 1000;
  if (expires <= now) return "expired";
  return {
    serial: content.toString("hex", head.serial, head.expires),
    features: [...content.subarray(head.features)],
    expires,
  };
}

/** Returns a digest of a hub's id, of fixed length for any id. */
function digestOf(hubId: string): Buffer {
  return hash("sha256", hubId, "buffer").subarray(0, head.count - head.hub);
}
