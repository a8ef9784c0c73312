import { limits } from "@ledge/model";
import type { JWK } from "jose";
import { type IssuerKey, keySetOfIdentity, sign, type TokenProblem, verifySigned } from "./signed.ts";

/** What a hub signs with its identity key to prove who it is. It has no time: its nonce works once. */
export interface HubAssertion {
  readonly hub_id: string;
  /** Given by the cloud. */
  readonly nonce: string;
}

const typ = "ledge-hub-assertion+jwt";

/**
 * Signs a hub's assertion.
 * @param audience the address that the hub has dialled, as `new URL(address).origin`; never one that the
 * cloud names. A cloud could otherwise pass on another cloud's nonce and pose there as the hub.
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
 * Verifies a hub's assertion with the public half of its identity key. `audience`: the addresses of this
 * cloud. The caller checks that the nonce was given to this hub and is unused.
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
