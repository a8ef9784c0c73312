import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Served } from "../http/test-served.ts";
import type { MadeClient } from "./clients.ts";
import { allow, ask, codeForm, makeClient, ownToken, startOf, startServed, tokensFor } from "./test-flow.ts";

const scope = "openid offline_access platform.read";
let served: Served;
let client: MadeClient;
before(async () => {
  served = await startServed();
  client = await makeClient(served, "maker@a.example", ["openid", "offline_access", "platform.read"]);
});
after(() => served.stop());

const kidOf = (token: string): string => {
  const [header = ""] = token.split(".");
  return (JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string }).kid;
};
const isGood = async (token: string): Promise<boolean> => {
  const json = { query: { type: "ListTenantQuery" } };
  return (await served.call("POST", "/graph/query", { token: `Bearer ${token}`, json })).status === 200;
};

test("keys are replaced while requests are under way, and none of them fails", async () => {
  const { signingKeys } = served.test.cloud;
  const done = new AbortController();
  const tokens: string[] = [];
  const load = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) tokens.push(await ownToken(served.base, client, "platform.read"));
  });
  for (let count = 0; count < 3; count++) {
    const had = tokens.length;
    const { kid } = await signingKeys.rotate(true);
    while (tokens.length < had + 24 || !tokens.some((token) => kidOf(token) === kid))
      await ownToken(served.base, client, "platform.read").then((token) => tokens.push(token));
  }
  done.abort();
  await Promise.all(load);
  assert.equal(new Set(tokens.map(kidOf)).size, 4);
  for (const kid of new Set(tokens.map(kidOf)))
    assert.ok(await isGood(tokens.find((token) => kidOf(token) === kid) ?? ""), kid);
  const { text } = await served.call("GET", "/oauth2/jwks");
  const { keys } = JSON.parse(text) as { keys: Record<string, unknown>[] };
  assert.deepEqual(new Set(keys.map(({ kid }) => kid)), new Set(signingKeys.overview.map(({ kid }) => kid)));
  for (const key of keys) assert.equal("d" in key, false);
});

test("a flow that began under one key ends under the next", async () => {
  const form = codeForm(await allow(served, startOf(served.base, client.clientId, scope), "ada@a.example"));
  const { kid } = await served.test.cloud.signingKeys.rotate(true);
  const { access_token, id_token = "", refresh_token = "" } = await ask(served.base, client, form);
  assert.deepEqual([kidOf(access_token), kidOf(id_token)], [kid, kid]);
  const { kid: next } = await served.test.cloud.signingKeys.rotate(true);
  const renewed = await ask(served.base, client, { grant_type: "refresh_token", refresh_token });
  assert.equal(kidOf(renewed.access_token), next);
});

test("tokens of a withdrawn key are refused at once", async () => {
  const { access_token } = await tokensFor(served, client, "ada@a.example", scope);
  assert.ok(await isGood(access_token));
  await served.test.cloud.signingKeys.rotate(true);
  assert.equal(await served.test.cloud.signingKeys.withdraw(kidOf(access_token)), undefined);
  assert.equal(await isGood(access_token), false);
});
