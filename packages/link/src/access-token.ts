import { limits } from "@ledge/model";
import { decodeProtectedHeader } from "jose";
import { type KeySet, type TokenProblem, verifySigned } from "./signed.ts";

/** The `typ` of access tokens (RFC 9068 2.1). */
const accessTokenTyp = "at+jwt";

/** A verified access token of OAuth2 (RFC 9068). */
export interface AccessToken {
  /** The account for which it stands. */
  readonly sub: string;
  readonly client_id: string;
  /** The tenant of which it lets anything be seen. */
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** s since the epoch. */
  readonly exp: number;
  readonly kid: string;
}

export type AccessTokenVerification =
  | { readonly token: AccessToken; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly token?: undefined };

/** Returns whether a text says that it is an access token. It may be anything all the same. */
export function isAccessToken(text: string): boolean {
  if (text.length > limits.tokenChars) return false;
  try {
    return decodeProtectedHeader(text).typ === accessTokenTyp;
  } catch {
    return false;
  }
}

/**
 * Verifies an access token, like `verifyCloudToken` does a cloud token. The caller checks whether its account and
 * its client are still there.
 * @param now ms since the epoch
 */
export async function verifyAccessToken(
  text: string,
  { keys, issuer, audience }: { readonly keys: KeySet; readonly issuer: string; readonly audience: string },
  now: number,
): Promise<AccessTokenVerification> {
  const required = ["iat", "exp", "jti", "sub"];
  const { tokenChars: maxChars } = limits;
  const wanted = { keys, issuers: [issuer], audience, typ: accessTokenTyp, required, maxChars };
  const signed = await verifySigned(text, wanted, now);
  if (signed.problem !== undefined) return signed;
  const { sub, client_id, tenant, scope = "", exp } = signed.payload;
  const isWhole =
    typeof sub === "string" &&
    typeof client_id === "string" &&
    typeof tenant === "string" &&
    typeof scope === "string" &&
    Number.isSafeInteger(exp);
  if (!isWhole) return { problem: "claims" };
  const scopes = new Set(scope.split(" "));
  return { token: { sub, client_id, tenant, scopes, exp: exp as number, kid: signed.kid } };
}
