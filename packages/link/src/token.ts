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

export type Verification =
  | { readonly key: HubKey; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly key?: undefined };

/** What clients see in the header of every token that they send. */
export const tokenTyp = "JWT";

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
  return sign({ ...own, iss: issuer, aud: hub_id, iat, exp, kid: key.kid }, tokenTyp, key);
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
  const { keys, issuers, hubId } = trusted;
  const required = ["iat", "exp"];
  const wanted = { keys, issuers, audience: hubId, typ: tokenTyp, required, maxChars: limits.tokenChars };
  const signed = await verifySigned(token, wanted, now);
  if (signed.problem !== undefined) return signed;
  const key = hubKeyOf(signed.payload);
  if (key === undefined || key.hub_id !== hubId || key.kid !== signed.kid) return { problem: "claims" };
  return { key };
}

function hubKeyOf(payload: JWTPayload): HubKey | undefined {
  const { iss, aud, iat, exp } = payload;
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
  } as HubKey;
}
