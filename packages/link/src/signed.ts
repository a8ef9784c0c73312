import { limits } from "@ledge/model";
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  errors,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";

/** A key pair that signs, as JSON Web Keys (RFC 8037). `privateJwk` is a secret. */
export interface IssuerKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

/** Public keys that are believed, by kid. */
export type KeySet = ReadonlyMap<string, JWK>;

/** Why something signed is refused. `malformed` covers everything that is nothing signed at all. */
export type TokenProblem =
  | "malformed"
  | "algorithm"
  | "unknown-key"
  | "signature"
  | "expired"
  | "issuer"
  | "audience"
  | "claims";

/** What is asked of something signed before any of it is believed. */
export interface Wanted {
  readonly keys: KeySet;
  /** Those who may have said it; left out where the key alone says who. */
  readonly issuers?: readonly string[];
  /** Whom it is for. */
  /** Of a list any. */
  readonly audience: string | readonly string[];
  /** `typ` of its header: what is signed for one purpose serves no other. */
  readonly typ: string;
  /** Claims that must be there. */
  readonly required: readonly string[];
  readonly maxChars: number;
}

export type Signed =
  | { readonly payload: JWTPayload; readonly kid: string; readonly problem?: undefined }
  | { readonly problem: TokenProblem };

const algorithm = "EdDSA";

/** A fresh Ed25519 key pair. Its kid is the thumbprint of the public key (RFC 7638). */
export async function generateIssuerKey(): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
  // Commands take it: there it would be an option.
  if (kid.startsWith("-")) return generateIssuerKey();
  const common = { kid, alg: algorithm, use: "sig" };
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), ...common },
    privateJwk: { ...(await exportJWK(privateKey)), ...common },
  };
}

/** The public halves of keys as a key set. */
export function keySetOf(keys: Iterable<Pick<IssuerKey, "kid" | "publicJwk">>): KeySet {
  return new Map([...keys].map(({ kid, publicJwk }) => [kid, publicJwk]));
}

/** A JSON Web Key Set (RFC 7517 5), as it is published. */
export interface Jwks {
  readonly keys: readonly JWK[];
}

/** A key set as it is published: nothing but what is public. */
export function jwksOf(keys: KeySet): Jwks {
  return { keys: [...keys].map(([kid, jwk]) => publicPart(jwk, kid)) };
}

/** Reads a published key set; keys of other kinds are passed over. Undefined when it is none. */
export function keySetFrom(published: unknown): KeySet | undefined {
  const { keys } = (published ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > limits.signingKeys) return undefined;
  const set = new Map<string, JWK>();
  for (const jwk of keys as unknown[]) {
    const { kty, crv, x, kid } = (jwk ?? {}) as Record<string, unknown>;
    if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof kid !== "string") continue;
    if (set.has(kid)) return undefined;
    set.set(kid, publicPart({ x }, kid));
  }
  return set;
}

/** The key set of one public key that names no kid of its own: a hub's identity. */
export async function keySetOfIdentity(publicJwk: JWK): Promise<KeySet> {
  const { x } = publicJwk;
  const jwk = { kty: "OKP", crv: "Ed25519", x } as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return new Map([[kid, publicPart(jwk, kid)]]);
}

function publicPart({ x }: JWK, kid: string): JWK {
  return { kty: "OKP", crv: "Ed25519", x, kid, alg: algorithm, use: "sig" } as JWK;
}

/** Signs claims (compact JWS, RFC 7515), as of `typ`. */
export function sign(
  claims: JWTPayload,
  typ: string,
  { kid, privateJwk }: Pick<IssuerKey, "kid" | "privateJwk">,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateJwk);
}

/**
 * Verifies something signed: its form, EdDSA only, signature by a key of the set, and what is wanted of it. What
 * the claims mean is for the caller to look at.
 * @param now ms since the epoch
 */
export async function verifySigned(text: string, wanted: Wanted, now: number): Promise<Signed> {
  const { keys, issuers, audience, typ, required, maxChars } = wanted;
  if (text.length > maxChars || !isCanonical(text)) return { problem: "malformed" };
  const found = keyFor(text, keys);
  if (typeof found === "string") return { problem: found };
  try {
    const { payload } = await jwtVerify(text, found.jwk, {
      algorithms: [algorithm],
      typ,
      ...(issuers && { issuer: [...issuers] }),
      audience: [audience].flat(),
      requiredClaims: [...required],
      currentDate: new Date(now),
    });
    return { payload, kid: found.kid };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/**
 * Whether a token is spelt in the one way that its bytes have (RFC 4648 3.5, RFC 7515 2): readers of base64url let
 * padding, other alphabets and spare bits pass, so that one token would count as many.
 */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** The key that a token says it is signed with; the algorithm is settled before any key is touched. */
function keyFor(token: string, keys: KeySet): { readonly kid: string; readonly jwk: JWK } | TokenProblem {
  let header: { alg?: string; kid?: string };
  try {
    header = decodeProtectedHeader(token);
  } catch {
    return "malformed";
  }
  const { alg, kid } = header;
  if (alg !== algorithm) return "algorithm";
  const jwk = typeof kid === "string" ? keys.get(kid) : undefined;
  return jwk === undefined || kid === undefined ? "unknown-key" : { kid, jwk };
}

function problemOf(error: unknown): TokenProblem {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return "malformed";
  if (error.claim === "iss") return "issuer";
  return error.claim === "aud" ? "audience" : "claims";
}
