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

/** A signing key pair as JSON Web Keys (RFC 8037). `privateJwk` is secret. */
export interface IssuerKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

/** Trusted public keys by kid. */
export type KeySet = ReadonlyMap<string, JWK>;

/** Why a signed text is refused. `malformed`: it is not a signed text at all. */
export type TokenProblem =
  | "malformed"
  | "algorithm"
  | "unknown-key"
  | "signature"
  | "expired"
  | "issuer"
  | "audience"
  | "claims";

/** The requirements for a signed text. */
export interface Wanted {
  readonly keys: KeySet;
  /** The accepted issuers; left out when the key alone identifies the issuer. */
  readonly issuers?: readonly string[];
  /** The expected audience. */
  /** For a list, any of them. */
  readonly audience: string | readonly string[];
  /** The `typ` of its header: a text signed for one purpose serves no other. */
  readonly typ: string;
  /** The required claims. */
  readonly required: readonly string[];
  readonly maxChars: number;
}

export type Signed =
  | { readonly payload: JWTPayload; readonly kid: string; readonly problem?: undefined }
  | { readonly problem: TokenProblem };

const algorithm = "EdDSA";

/** Generates an Ed25519 key pair. Its kid is the thumbprint of the public key (RFC 7638). */
export async function generateIssuerKey(): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
  // A kid is also an argument of commands, where a leading dash would make it an option.
  if (kid.startsWith("-")) return generateIssuerKey();
  const common = { kid, alg: algorithm, use: "sig" };
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), ...common },
    privateJwk: { ...(await exportJWK(privateKey)), ...common },
  };
}

/** Returns the public halves of keys as a key set. */
export function keySetOf(keys: Iterable<Pick<IssuerKey, "kid" | "publicJwk">>): KeySet {
  return new Map([...keys].map(({ kid, publicJwk }) => [kid, publicJwk]));
}

/** A published JSON Web Key Set (RFC 7517 5). */
export interface Jwks {
  readonly keys: readonly JWK[];
}

/** Returns a key set for publication, with nothing but the public parts. */
export function jwksOf(keys: KeySet): Jwks {
  return { keys: [...keys].map(([kid, jwk]) => publicPart(jwk, kid)) };
}

/** Reads a published key set, skipping keys of other kinds; undefined for anything but a key set. */
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

/** Returns the key set of one public key without a kid: a hub's identity. */
export async function keySetOfIdentity(publicJwk: JWK): Promise<KeySet> {
  const { x } = publicJwk;
  const jwk = { kty: "OKP", crv: "Ed25519", x } as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return new Map([[kid, publicPart(jwk, kid)]]);
}

function publicPart({ x }: JWK, kid: string): JWK {
  return { kty: "OKP", crv: "Ed25519", x, kid, alg: algorithm, use: "sig" } as JWK;
}

/** Signs claims (compact JWS, RFC 7515) with a `typ`. */
export function sign(
  claims: JWTPayload,
  typ: string,
  { kid, privateJwk }: Pick<IssuerKey, "kid" | "privateJwk">,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateJwk);
}

/**
 * Verifies a signed text: its form, the algorithm (EdDSA only), the signature by a key of the set, and the
 * requirements. The caller checks what the claims mean.
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
 * Returns whether a token has the canonical spelling of its bytes (RFC 4648 3.5, RFC 7515 2). Base64url
 * decoders tolerate padding, other alphabets and spare bits, which would let one token pass as many.
 */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** Returns the key that a token names; checks the algorithm before it uses any key. */
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
