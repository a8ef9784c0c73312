import { isRole, limits } from "@ledge/model";
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

/** The claims of a HubKey (hub-api 2.11). `role` is one role bit of hub-api 5.3. */
export interface HubKeyClaims {
  readonly hub_id: string;
  readonly hub_name: string;
  readonly user_id: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: number;
  readonly owner: boolean;
  /** Number of the authorization list that the key was issued under; it only grows. */
  readonly auth_seq: number;
}

/** A verified HubKey: its claims and what the issuer states about the token. Times in s since the epoch. */
export interface HubKey extends HubKeyClaims {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly kid: string;
}

/** A key pair that signs HubKeys, as JSON Web Keys (RFC 8037). `privateJwk` is a secret. */
export interface IssuerKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

/** Public keys that a hub believes, by kid. */
export type KeySet = ReadonlyMap<string, JWK>;

/** Why a token is refused. `malformed` covers everything that is not a HubKey at all. */
export type TokenProblem =
  | "malformed"
  | "algorithm"
  | "unknown-key"
  | "signature"
  | "expired"
  | "issuer"
  | "audience"
  | "claims";

export type Verification =
  | { readonly key: HubKey; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly key?: undefined };

const algorithm = "EdDSA";

/** A fresh Ed25519 key pair. Its kid is the thumbprint of the public key (RFC 7638). */
export async function generateIssuerKey(): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
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

/**
 * Signs a HubKey that is good for `limits.hubKeyMs`.
 * @param issuer what goes into `iss`.
 * @param now ms since the epoch.
 * @param lifetimeMs for keys that are to expire sooner.
 */
export async function signHubKey(
  claims: HubKeyClaims,
  issuer: string,
  key: Pick<IssuerKey, "kid" | "privateJwk">,
  now: number,
  lifetimeMs: number = limits.hubKeyMs,
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const exp = Math.floor((now + lifetimeMs) / 1000);
  const { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq } = claims;
  const own = { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq };
  return new SignJWT({ ...own, iss: issuer, aud: hub_id, iat, exp, kid: key.kid })
    .setProtectedHeader({ alg: algorithm, typ: "JWT", kid: key.kid })
    .sign(key.privateJwk);
}

/**
 * Verifies a HubKey: signature by a key of the set, EdDSA only, one of the issuers, hub and expiry.
 * @param now ms since the epoch.
 */
export async function verifyHubKey(
  token: string,
  trusted: { readonly keys: KeySet; readonly issuers: readonly string[]; readonly hubId: string },
  now: number,
): Promise<Verification> {
  if (token.length > limits.tokenChars || !isCanonical(token)) return { problem: "malformed" };
  const jwk = keyFor(token, trusted.keys);
  if (typeof jwk === "string") return { problem: jwk };
  try {
    const { payload } = await jwtVerify(token, jwk, {
      algorithms: [algorithm],
      typ: "JWT",
      issuer: [...trusted.issuers],
      audience: trusted.hubId,
      requiredClaims: ["iat", "exp"],
      currentDate: new Date(now),
    });
    const key = hubKeyOf(payload);
    if (key === undefined || key.hub_id !== trusted.hubId || key.kid !== jwk.kid)
      return { problem: "claims" };
    return { key };
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
function keyFor(token: string, keys: KeySet): JWK | TokenProblem {
  let header: { alg?: string; kid?: string };
  try {
    header = decodeProtectedHeader(token);
  } catch {
    return "malformed";
  }
  if (header.alg !== algorithm) return "algorithm";
  const jwk = typeof header.kid === "string" ? keys.get(header.kid) : undefined;
  return jwk ?? "unknown-key";
}

function hubKeyOf(payload: JWTPayload): HubKey | undefined {
  const { iss, aud, iat, exp } = payload;
  const { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq, kid } = payload;
  const texts = [iss, aud, kid, hub_id, hub_name, user_id, email, nickname];
  const numbers = [iat, exp, role, auth_seq];
  if (!texts.every((value) => typeof value === "string") || typeof owner !== "boolean") return undefined;
  if (!numbers.every((value) => Number.isSafeInteger(value)) || !isRole(role as number)) return undefined;
  if (user_id === "" || (auth_seq as number) < 0) return undefined;
  return {
    iss,
    aud,
    iat,
    exp,
    kid,
    hub_id,
    hub_name,
    user_id,
    email,
    nickname,
    role,
    owner,
    auth_seq,
  } as HubKey;
}

function problemOf(error: unknown): TokenProblem {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return "malformed";
  if (error.claim === "iss") return "issuer";
  return error.claim === "aud" ? "audience" : "claims";
}
