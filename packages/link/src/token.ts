import { isRole, limits } from "@ledge/model";
import type { JWTPayload } from "jose";
import { type IssuerKey, type KeySet, sign, type TokenProblem, verifySigned } from "./signed.ts";

/** The claims of a HubKey (hub-api 2.11). `role` is one role bit of hub-api 5.3. */
export interface HubKeyClaims {
  readonly hub_id: string;
  readonly hub_name: string;
  readonly user_id: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: number;
  readonly owner: boolean;
  /** The number of the authorization list under which the key was issued; it only grows. */
  readonly auth_seq: number;
  /** The id of the key's record at the hub; only in keys that the hub has signed itself. */
  readonly jti?: string;
}

/** A verified HubKey: its claims and what its issuer says about the token. Times in s since the epoch. */
export interface HubKey extends HubKeyClaims {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly kid: string;
}

/** A trusted issuer of HubKeys. */
export interface HubKeyIssuer {
  /** The value of `iss` in its keys. */
  readonly name: string;
  readonly keys: KeySet;
  /** The longest lifetime (ms) of its keys, whatever they say. */
  readonly lifetimeMs: number;
}

export type Verification =
  | { readonly key: HubKey; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly key?: undefined };

/** The `typ` that clients see in the header of their tokens. */
export const tokenTyp = "JWT";

/**
 * Signs a HubKey that is valid for `limits.hubKeyMs`.
 * @param issuer the value of `iss`
 * @param now ms since the epoch
 * @param lifetimeMs a shorter validity
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
  const { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq, jti } = claims;
  const own = { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq, ...(jti && { jti }) };
  return sign({ ...own, iss: issuer, aud: hub_id, iat, exp, kid: key.kid }, tokenTyp, key);
}

/**
 * Verifies a HubKey: EdDSA only, signed by a key of the issuer that it names, for this hub, and not expired.
 * One issuer's key cannot sign in the name of another.
 * @param now ms since the epoch
 */
export async function verifyHubKey(
  token: string,
  trusted: { readonly issuers: readonly HubKeyIssuer[]; readonly hubId: string },
  now: number,
): Promise<Verification> {
  const { issuers, hubId } = trusted;
  const wanted = {
    keys: new Map(issuers.flatMap(({ keys }) => [...keys])),
    issuers: issuers.map(({ name }) => name),
    audience: hubId,
    typ: tokenTyp,
    required: ["iat", "exp"],
    maxChars: limits.tokenChars,
  };
  const signed = await verifySigned(token, wanted, now);
  if (signed.problem !== undefined) return signed;
  const key = hubKeyOf(signed.payload);
  if (key === undefined || key.hub_id !== hubId || key.kid !== signed.kid) return { problem: "claims" };
  const issuer = issuers.find(({ name, keys }) => name === key.iss && keys.has(key.kid));
  if (issuer === undefined) return { problem: "issuer" };
  return (key.exp - key.iat) * 1000 > issuer.lifetimeMs ? { problem: "expired" } : { key };
}

function hubKeyOf(payload: JWTPayload): HubKey | undefined {
  const { iss, aud, iat, exp, jti } = payload;
  const { hub_id, hub_name, user_id, email, nickname, role, owner, auth_seq, kid } = payload;
  const texts = [iss, aud, kid, hub_id, hub_name, user_id, email, nickname];
  const numbers = [iat, exp, role, auth_seq];
  if (!texts.every((value) => typeof value === "string") || typeof owner !== "boolean") return undefined;
  if (!numbers.every((value) => Number.isSafeInteger(value)) || !isRole(role as number)) return undefined;
  if (user_id === "" || (user_id as string).length > limits.idChars || (auth_seq as number) < 0)
    return undefined;
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
    ...(typeof jti === "string" && { jti }),
  } as HubKey;
}
