import { limits } from "@ledge/model";
import type { JWK } from "jose";
import { type IssuerKey, keySetOfIdentity, sign, type TokenProblem, verifySigned } from "./signed.ts";

/** What a hub signs with its identity key to show who it is. It has no time: the nonce counts once. */
export interface HubAssertion {
  readonly hub_id: string;
  /** From the cloud. */
  readonly nonce: string;
}

const typ = "ledge-hub-assertion+jwt";

/**
 * @param audience the address that the hub has dialled, as `new URL(address).origin`. A cloud says what it wants of
 *   itself: one that passed another's nonce on would be taken for the hub if the hub signed what it is told.
 */
export function signHubAssertion(
  { hub_id, nonce }: HubAssertion,
  audience: string,
  key: Pick<IssuerKey, "kid" | "privateJwk">,
): Promise<string> {
  return sign({ hub_id, nonce, aud: audience }, typ, key);
}

export type AssertionVerification =
  | { readonly nonce: string; readonly problem?: undefined }
  | { readonly problem: TokenProblem; readonly nonce?: undefined };

/**
 * Verifies a hub's assertion by the public half of its identity key. `audience`: the addresses that this cloud has. Whether the nonce is one that was given to
 * this hub, and has not been used, is for the caller to look up.
 */
export async function verifyHubAssertion(
  text: string,
  expected: { readonly hub_id: string; readonly audience: readonly string[]; readonly publicJwk: JWK },
): Promise<AssertionVerification> {
  const { hub_id, audience, publicJwk } = expected;
  const keys = await keySetOfIdentity(publicJwk);
  const wanted = { keys, audience, typ, required: ["hub_id", "nonce"], maxChars: limits.tokenChars };
  const signed = await verifySigned(text, wanted, 0);
  if (signed.problem !== undefined) return signed;
  const { nonce } = signed.payload;
  const isSound = signed.payload["hub_id"] === hub_id && typeof nonce === "string";
  return isSound ? { nonce } : { problem: "claims" };
}
