// How a hub comes to a session with a cloud.
import { generateIssuerKey, signHubAssertion } from "@ledge/link";
import { features } from "@ledge/model";

/** What the cloud answers with when a hub opens a session. */
export interface HubSession {
  readonly token: string;
  readonly issuer: string;
  readonly jwks: { readonly keys: readonly { readonly kid: string }[] };
}

/**
 * Opens the first session of a hub with the cloud at `url`.
 * @param from the address (IP) that the cloud is to believe it comes from: how often one may ask is limited
 */
export async function openSession(url: string, hubId: string, from: string): Promise<HubSession> {
  const key = await generateIssuerKey();
  const { kty, crv, x } = key.publicJwk;
  const { nonce } = (await post(url, "/hub/challenge", { hubId }, { from })) as { nonce: string };
  const proof = await signHubAssertion({ hub_id: hubId, nonce }, url, key);
  const publicJwk = { kty, crv, x };
  const request = { hubId, publicJwk, version: "1.14.15.1", features: [features.REMOTE_USAGE], proof };
  return (await post(url, "/hub/session", request, { from })) as HubSession;
}

/** The name of the cloud in what it signs. */
export const issuer = "bench";

/** Who is made the owner of a hub. */
export const ownersEmail = "owner@example.org";

/** @returns what was answered, parsed where it is JSON */
export async function post(
  url: string,
  path: string,
  json: object,
  { from = "192.0.2.1", token }: { readonly from?: string; readonly token?: string } = {},
): Promise<unknown> {
  const headers = {
    "content-type": "application/json",
    "x-forwarded-for": from,
    ...(token !== undefined && { authorization: token }),
  };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(json) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return response.headers.get("content-type")?.includes("json") ? (JSON.parse(text) as unknown) : text;
}
