import { isRole, limits } from "@ledge/model";
import { type IssuerKey, type KeySet, sign, type TokenProblem, verifySigned } from "./signed.ts";
import { tokenTyp } from "./token.ts";

/** The claims of a cloud token: the session that it belongs to. */
export interface CloudTokenClaims {
  /** One role bit of hub-api 5.3, for clients to read. */
  readonly role: number;
  /** The account's id. */
  readonly user_id: string;
  /** The session's id. */
  readonly jti: string;
}

/** A verified cloud token. Times in s since the epoch. */
export interface CloudToken extends CloudTokenClaims {
  readonly iat: number;
  readonly exp: number;
  readonly kid: string;
}

export type CloudTokenVerification =
  | { readonly token: CloudToken; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly token?: undefined };

/**
 * Signs a cloud token. Its audience is its issuer, so no hub accepts it as a HubKey.
 * @param issuer the value of `iss` and `aud`
 * @param expires when its session ends, ms since the epoch, like `now`
 */
export async function signCloudToken(
  { role, user_id, jti }: CloudTokenClaims,
  issuer: string,
  key: Pick<IssuerKey, "kid" | "privateJwk">,
  now: number,
  expires: number = now + limits.cloudTokenMs,
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const exp = Math.floor(expires / 1000);
  return sign({ role, iat, exp, user_id, kid: key.kid, iss: issuer, aud: issuer, jti }, tokenTyp, key);
}

/**
 * Verifies a cloud token, like `verifyHubKey` does a HubKey. The issuer itself checks whether the session is
 * still live.
 * @param now ms since the epoch
 */
export async function verifyCloudToken(
  text: string,
  { keys, issuer }: { readonly keys: KeySet; readonly issuer: string },
  now: number,
): Promise<CloudTokenVerification> {
  const required = ["iat", "exp", "jti"];
  const { tokenChars: maxChars } = limits;
  const wanted = { keys, issuers: [issuer], audience: issuer, typ: tokenTyp, required, maxChars };
  const signed = await verifySigned(text, wanted, now);
  if (signed.problem !== undefined) return signed;
  const { role, user_id, kid, jti, iat, exp } = signed.payload;
  const isWhole =
    isRole(role as number) &&
    typeof user_id === "string" &&
    user_id !== "" &&
    typeof jti === "string" &&
    kid === signed.kid &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp);
  if (!isWhole) return { problem: "claims" };
  return { token: { role, user_id, jti, iat, exp, kid } as CloudToken };
}
