import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as client from "openid-client";
import type { Served } from "../http/test-served.ts";
import type { OAuthScope } from "../model/oauth-scopes.ts";
import { allow, makeClient, redirectUri, startServed } from "./test-flow.ts";

let served: Served;
before(async () => {
  served = await startServed();
});
after(() => served.stop());

function discovered(clientId: string, auth: client.ClientAuth): Promise<client.Configuration> {
  const issuer = new URL(`${served.base}/oauth2`);
  const options = { execute: [client.allowInsecureRequests] };
  return client.discovery(issuer, clientId, { id_token_signed_response_alg: "EdDSA" }, auth, options);
}

test("an ordinary client logs a person in, calls the platform, and refreshes its tokens", async () => {
  const scopes: OAuthScope[] = ["openid", "email", "offline_access", "platform.read"];
  const { clientId, clientSecret } = await makeClient(served, "maker@a.example", scopes);
  const config = await discovered(clientId, client.ClientSecretPost(clientSecret ?? ""));
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const start = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    prompt: "consent",
    state,
    nonce,
  });
  const url = await allow(served, start.href, "ada@a.example");
  assert.ok(url.href.startsWith(`${redirectUri}?`), url.href);
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  const tokens = await client.authorizationCodeGrant(config, url, checks);
  assert.equal(tokens.claims()?.["email"], "ada@a.example");
  assert.equal(tokens.expires_in, 600);
  const answer = await served.graph(`Bearer ${tokens.access_token}`, { type: "ListTenantQuery" });
  assert.equal(answer.error, undefined);
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? assert.fail());
  assert.notEqual(renewed.refresh_token, tokens.refresh_token);
  await assert.rejects(
    client.refreshTokenGrant(config, tokens.refresh_token ?? ""),
    ({ error }: client.ResponseBodyError) => error === "invalid_grant",
  );
  // A token that comes twice was stolen: nothing of its family is valid any more.
  await assert.rejects(
    client.refreshTokenGrant(config, renewed.refresh_token ?? ""),
    ({ error }: client.ResponseBodyError) => error === "invalid_grant",
  );
});

test("a machine gets tokens with its secret, as the account with its id", async () => {
  const { clientId, clientSecret } = await makeClient(served, "boss@a.example", ["platform.read"], {
    redirectUris: [],
  });
  const config = await discovered(clientId, client.ClientSecretBasic(clientSecret ?? ""));
  const tokens = await client.clientCredentialsGrant(config, { scope: "platform.read" });
  const [, payload = ""] = tokens.access_token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const owner = served.accountId("boss@a.example");
  const { sub, client_id, scope, tenant, aud, iss } = claims;
  assert.deepEqual(
    { sub, client_id, scope, tenant, aud, iss },
    {
      sub: clientId,
      client_id: clientId,
      scope: "platform.read",
      tenant: owner,
      aud: `${served.base}/platform`,
      iss: `${served.base}/oauth2`,
    },
  );
  assert.equal(served.test.onDisk(clientSecret ?? ""), false);
});
