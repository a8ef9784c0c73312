import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { Served } from "../http/test-served.ts";
import type { OAuthScope } from "../model/oauth-scopes.ts";
import { accepted } from "../testdata/open-cloud.ts";
import type { ClientRequest, MadeClient } from "./clients.ts";
import { Browser } from "./test-browser.ts";

/** Where the client of tests wants people back. */
export const redirectUri = "https://app.example/callback";

/** A verifier of PKCE (RFC 7636 4.1), and its challenge. */
export const verifier = "v".repeat(43);
export const challenge = hash("sha256", verifier, "base64url");

/** An answer of the token endpoint (RFC 6749 5). */
export interface Answered {
  readonly status: number;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
  readonly error?: string;
}

/** A cloud with real time, so that the tokens of its OAuth2 server are valid now. */
export function startServed(): Promise<Served> {
  return Served.start({}, Date.now());
}

/** Logs somebody in. @returns the id of the account */
export async function accountOf(served: Served, email: string): Promise<string> {
  await served.logIn(email);
  return served.accountId(email);
}

/** Makes a client of somebody's personal tenant. */
export async function makeClient(
  served: Served,
  owner: string,
  scopes: readonly OAuthScope[],
  more: Partial<ClientRequest> = {},
): Promise<MadeClient> {
  const tenant = await accountOf(served, owner);
  const about = { tenant, name: "Sauna", scopes, redirectUris: [redirectUri], keys: [], isPublic: false };
  return accepted(await served.test.cloud.clients.create({ ...about, ...more }, "console"));
}

/** Returns where a client sends a person. @param more further parameters, or others */
export function startOf(
  base: string,
  clientId: string,
  scope: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    scope,
    code_challenge: challenge,
    code_challenge_method: "S256",
    prompt: "consent",
    state: "s",
    ...more,
  });
  return `${base}/oauth2/auth?${query.toString()}`;
}

/** Logs somebody in on the pages, and allows what the client asks. @returns where the browser is sent back to */
export async function allow(served: Served, start: string, email: string): Promise<URL> {
  const browser = new Browser(served.base, { "x-forwarded-for": served.newCaller() });
  const { url, status, html: first } = await browser.open(start);
  assert.equal(status, 200, first);
  assert.equal((await browser.submit(url, { step: "email", email })).status, 200);
  const password = served.passwordOf(email);
  const asked = await browser.submit(url, { step: "password", email, password });
  assert.equal(asked.status, 200, asked.html);
  const { location, html } = await browser.submit(asked.url, { step: "consent" });
  return new URL(location ?? assert.fail(html));
}

/** Asks the token endpoint, as curl would. */
export async function ask(
  base: string,
  { clientId, clientSecret }: MadeClient,
  form: Readonly<Record<string, string>>,
  from?: string,
): Promise<Answered> {
  const secret = clientSecret === null ? {} : { client_secret: clientSecret };
  const response = await fetch(`${base}/oauth2/token`, {
    method: "POST",
    headers: { ...(from !== undefined && { "x-forwarded-for": from }) },
    body: new URLSearchParams({ client_id: clientId, ...secret, ...form }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answered, "status">) };
}

/** The form that trades a code for tokens. */
export function codeForm(url: URL, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const code = url.searchParams.get("code") ?? assert.fail(url.href);
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...more,
  };
}

/** Gets tokens for somebody. */
export async function tokensFor(
  served: Served,
  client: MadeClient,
  email: string,
  scope: string,
): Promise<Answered> {
  const url = await allow(served, startOf(served.base, client.clientId, scope), email);
  const tokens = await ask(served.base, client, codeForm(url));
  assert.equal(tokens.status, 200, tokens.error);
  return tokens;
}

/** Gets an access token for a client itself. */
export async function ownToken(base: string, client: MadeClient, scope: string): Promise<string> {
  const { status, error, access_token } = await ask(base, client, {
    grant_type: "client_credentials",
    scope,
  });
  assert.equal(status, 200, error);
  return access_token;
}

/** Reads the claims of a token without a check. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ""] = token.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
}
