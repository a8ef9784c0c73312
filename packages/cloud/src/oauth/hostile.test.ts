import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { SignJWT } from "jose";
import type { Served } from "../http/test-served.ts";
import type { MadeClient } from "./clients.ts";
import { Browser } from "./test-browser.ts";
import {
  allow,
  ask,
  claimsOf,
  codeForm,
  makeClient,
  ownToken,
  startOf,
  startServed,
  tokensFor,
  verifier,
} from "./test-flow.ts";

const scope = "openid offline_access platform.read";
const person = "ada@a.example";
let served: Served;
let client: MadeClient;
before(async () => {
  served = await startServed();
  client = await makeClient(served, "maker@a.example", ["openid", "offline_access", "platform.read"]);
});
after(() => served.stop());

const open = (more: Readonly<Record<string, string>>, clientId = client.clientId) =>
  new Browser(served.base).open(startOf(served.base, clientId, scope, more));
const list = (token: string): Promise<number> => called(token, "POST", "/graph/query");
async function called(token: string, method: string, path: string): Promise<number> {
  const json = { query: { type: "ListTenantQuery" } };
  return (await served.call(method, path, { token: `Bearer ${token}`, ...(method !== "GET" && { json }) }))
    .status;
}

test("nobody is sent to an address that the client has not named", async () => {
  for (const redirect_uri of [
    "https://evil.example/callback",
    "https://app.example/callback/x",
    "https://app.example/callback?x=1",
    "https://app.example.evil.example/callback",
    "https://app.example@evil.example/callback",
    "javascript:alert(1)",
  ]) {
    const { status, location } = await open({ redirect_uri });
    assert.deepEqual([status, location], [400, undefined], redirect_uri);
  }
  assert.equal((await open({}, "nobody")).location, undefined);
});

test("a code is only given for a challenge with S256", async () => {
  const errors: (string | null)[] = [];
  for (const more of [
    { code_challenge: "", code_challenge_method: "" },
    { code_challenge_method: "plain" },
    { code_challenge: verifier, code_challenge_method: "" },
    { code_challenge: "short" },
  ]) {
    const { location } = await open(more);
    errors.push(new URL(location ?? assert.fail()).searchParams.get("error"));
  }
  assert.deepEqual(
    errors,
    Array.from({ length: 4 }, () => "invalid_request"),
  );
});

test("a code is of no use with another verifier, another address, or to another client", async () => {
  const other = await makeClient(served, "other@a.example", ["openid", "platform.read"]);
  const start = startOf(served.base, client.clientId, scope);
  const attempts: [MadeClient, Readonly<Record<string, string>>][] = [
    [client, { code_verifier: "w".repeat(43) }],
    [client, { redirect_uri: "https://app.example/other" }],
    [client, { code: "made-up" }],
    [other, {}],
  ];
  for (const [asking, more] of attempts) {
    const form = codeForm(await allow(served, start, person), more);
    const { status, error } = await ask(served.base, asking, form, served.newCaller());
    assert.deepEqual([status, error], [400, "invalid_grant"], JSON.stringify(more));
  }
});

test("a code that comes twice revokes what it has brought", async () => {
  const form = codeForm(await allow(served, startOf(served.base, client.clientId, scope), person));
  const { refresh_token = "" } = await ask(served.base, client, form);
  const again = await ask(served.base, client, form);
  assert.deepEqual([again.status, again.error], [400, "invalid_grant"]);
  const refreshed = await ask(served.base, client, { grant_type: "refresh_token", refresh_token });
  assert.deepEqual([refreshed.status, refreshed.error], [400, "invalid_grant"]);
});

test("of many uses of one code or refresh token at once, at most one gets tokens", async () => {
  const form = codeForm(await allow(served, startOf(served.base, client.clientId, scope), person));
  const all = await Promise.all(Array.from({ length: 8 }, () => ask(served.base, client, form)));
  assert.ok(all.filter(({ status }) => status === 200).length <= 1);
  const { refresh_token = "" } = await tokensFor(served, client, person, scope);
  const refresh = { grant_type: "refresh_token", refresh_token };
  const renewed = await Promise.all(Array.from({ length: 8 }, () => ask(served.base, client, refresh)));
  assert.ok(renewed.filter(({ status }) => status === 200).length <= 1);
  // Whoever was first was perhaps the thief.
  for (const { refresh_token: next } of renewed)
    if (next !== undefined) {
      const { error } = await ask(served.base, client, { ...refresh, refresh_token: next });
      assert.equal(error, "invalid_grant");
    }
});

test("a client must prove who it is", async () => {
  for (const clientSecret of ["wrong", "kept as a digest", null]) {
    const form = { grant_type: "client_credentials", scope: "platform.read" };
    const { status, error } = await ask(served.base, { ...client, clientSecret }, form, served.newCaller());
    assert.deepEqual([status, error], [401, "invalid_client"], String(clientSecret));
  }
});

test("only an access token of this cloud for this platform lets anybody in, while it lasts", async () => {
  const good = await ownToken(served.base, client, "platform.read");
  assert.equal(await list(good), 200);
  const [key] = served.test.cloud.signingKeys.signing;
  const { kid, privateJwk } = key ?? assert.fail();
  const signed = (claims: object, header: object = {}): Promise<string> =>
    new SignJWT({ ...claimsOf(good), ...claims })
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid, ...header })
      .sign(privateJwk);
  assert.equal(await list(await signed({})), 200);
  const now = Math.floor(served.test.clock.wall() / 1000);
  const [, payload = ""] = good.split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt", kid })).toString("base64url");
  const { id_token = "" } = await tokensFor(served, client, person, scope);
  for (const [kind, token] of Object.entries({
    none: `${none}.${payload}.`,
    audience: await signed({ aud: "https://other.example/platform" }),
    issuer: await signed({ iss: served.base }),
    expired: await signed({ exp: now - 1 }),
    type: await signed({}, { typ: "JWT" }),
    key: await signed({}, { kid: "unknown" }),
    tenant: await signed({ tenant: 1 }),
    client: await signed({ client_id: "nobody" }),
    account: await signed({ sub: "nobody" }),
    signature: `${good.slice(0, -4)}AAAA`,
    idToken: id_token,
    huge: `${good}${"A".repeat(100_000)}`.slice(0, 15_000),
    empty: "..",
  }))
    assert.equal(await list(token), 401, kind);
});

test("access tokens open nothing but the platform, and least of all HubKeys", async () => {
  const { access_token } = await tokensFor(served, client, person, scope);
  for (const [method, path] of [
    ["GET", "/ui/0.2/user/hubkeys"],
    ["GET", "/ui/0.2/user"],
    ["GET", "/ui/0.2/user/hubs"],
    ["POST", "/ui/0.2/user/refreshsession"],
    ["PUT", "/ui/0.2/user/password"],
    ["POST", "/hub/claim"],
  ] as const)
    assert.equal(await called(access_token, method, path), 401, path);
  assert.equal(await called(access_token, "GET", "/1.0/Tenants"), 200);
  assert.equal(await called(access_token, "POST", "/providers/hubs/query"), 200);
});

test("bodies and addresses without end are refused before they are read", async () => {
  const huge = "x".repeat(limits.oauthBodyBytes + 1);
  const post = (path: string, body: string): Promise<number> =>
    served
      .call("POST", path, { body, headers: { "content-type": "application/x-www-form-urlencoded" } })
      .then(({ status }) => status);
  for (const path of ["/oauth2/token", "/oauth2/token/revocation", "/oauth2/interaction/x"])
    assert.equal(await post(path, huge), 413, path);
  const long = startOf(served.base, client.clientId, "x".repeat(limits.oauthUrlChars));
  assert.equal((await new Browser(served.base).open(long)).status, 414);
  // Without a length, what is too much is noticed on the way.
  const { url } = await open({});
  const endless = new ReadableStream({
    pull: (stream) => stream.enqueue(new TextEncoder().encode("x".repeat(4096))),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const sent = { method: "POST", headers, body: endless, duplex: "half" } as RequestInit;
  await assert.rejects(fetch(url, sent).then(({ status }) => assert.ok(status !== 413, "413")));
  assert.equal(await list(await ownToken(served.base, client, "platform.read")), 200);
});

test("what is no request of OAuth2 is refused without an internal error", async () => {
  for (const [method, path] of [
    ["GET", "/oauth2/"],
    ["GET", "/oauth2/token"],
    ["PUT", "/oauth2/auth"],
    ["GET", "/oauth2/auth"],
    ["GET", "/oauth2/auth?client_id=__proto__"],
    ["GET", "/oauth2/auth/none"],
    ["GET", "/oauth2/interaction/none"],
    ["GET", "/oauth2/interaction/%00"],
    ["POST", "/oauth2/interaction/none"],
    ["POST", "/oauth2/token"],
    ["GET", "/oauth2/reg"],
    ["GET", "/oauth2/me"],
    ["GET", "/oauth2/session/end"],
    ["GET", `/oauth2/auth?client_id=${client.clientId}&response_mode=form_post`],
  ] as const) {
    const { status, text } = await served.call(method, path);
    assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status} ${text}`);
  }
  assert.deepEqual(
    served.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
});

test("an access token ends by itself after ten minutes", async () => {
  const token = await ownToken(served.base, client, "platform.read");
  const { iat, exp } = claimsOf(token) as { iat: number; exp: number };
  assert.equal(exp - iat, limits.accessTokenMs / 1000);
  assert.equal(await list(token), 200);
  const back = Date.now() - served.test.clock.wall();
  await served.test.goForward(limits.accessTokenMs + 2000 + Math.max(0, back));
  assert.equal(await list(token), 401);
});

const post = async (path: string, form: Readonly<Record<string, string>>, from: string): Promise<number> => {
  const body = new URLSearchParams(form).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return (await served.call("POST", path, { body, headers, from })).status;
};

test("wrong secrets are counted however the address of the token endpoint is written", async () => {
  const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: "guess" };
  for (const path of ["token", "TOKEN", "Token/", "tOKEN/revocation"]) {
    const from = served.newCaller();
    const statuses = new Set<number>();
    for (let tries = 0; tries <= limits.wrongKeysPerMinutePerAddress; tries++)
      statuses.add(await post(`/oauth2/${path}`, form, from));
    assert.ok(statuses.has(429), `${path}: ${[...statuses].join(" ")}`);
  }
});

test("a client that is known asks no more often than anybody whom the cloud knows", async () => {
  const { clientId } = await makeClient(served, "maker@a.example", ["platform.read"], { isPublic: true });
  const from = served.newCaller();
  const form = { client_id: clientId, token: "none" };
  const revoke = (): Promise<number> => post("/oauth2/token/revocation", form, from);
  for (let count = 0; count < limits.requestsPerMinutePerToken; count++) assert.equal(await revoke(), 200);
  assert.equal(await revoke(), 429);
  await served.test.clock.pass(60_000);
  assert.equal(await revoke(), 200);
});
