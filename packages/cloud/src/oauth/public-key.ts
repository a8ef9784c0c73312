import { createPublicKey } from "node:crypto";
import type { Jwk } from "../model/signing-key.ts";

/** The members of a public key that are kept, by its type (RFC 7518 6, RFC 8037 2). */
const members = { OKP: ["crv", "x"], EC: ["crv", "x", "y"], RSA: ["n", "e"] } as const;
const curves: ReadonlySet<unknown> = new Set(["Ed25519", "P-256"]);

/** Returns the public key of a client; undefined for anything else, a private key included. */
export function publicKeyIn(given: Readonly<Record<string, unknown>>): Jwk | undefined {
  const { kty, kid } = given;
  if (!isType(kty) || "d" in given || (kty !== "RSA" && !curves.has(given["crv"]))) return undefined;
  const key: Record<string, string> = { kty, use: "sig" };
  for (const name of members[kty]) {
    const value = given[name];
    if (typeof value !== "string" || value.length > 1024) return undefined;
    key[name] = value;
  }
  if (typeof kid === "string" && kid !== "" && kid.length <= 128) key["kid"] = kid;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: "jwk" });
    const isShort = kty === "RSA" && (asymmetricKeyDetails?.modulusLength ?? 0) < 2048;
    return isShort ? undefined : key;
  } catch {
    return undefined;
  }
}

function isType(kty: unknown): kty is keyof typeof members {
  return typeof kty === "string" && Object.hasOwn(members, kty);
}
