import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { generateIssuerKey } from "@ledge/link";
import { limits } from "@ledge/model";
import * as openid from "openid-client";
import type { Served } from "../http/test-served.ts";
import {
  startServed,
  accountOf,
  ask,
  claimsOf,
  makeClient,
  ownToken,
  redirectUri,
  tokensFor,
} from "./test-flow.ts";

let served: Served;
let owner: string;
let tenantId: string;
before(async () => {
  served = await startServed();
  tenantId = await accountOf(served, "boss@a.example");
  owner = await served.logIn("boss@a.example");
});
after(() => served.stop());

const machine = { clientId: "", clientSecret: "" };
const create = (fields: object, token = owner) =>
  served.graph(token, {
    type: "CreateClientCommand",
    tenantId,
    name: "Pump",
    scopes: ["devices.read"],
    ...fields,
  });
const codeOf = async (type: string, fields: object, token = owner): Promise<string | undefined> =>
  (await served.graph(token, { type, ...fields })).error?.code;
const lists = async (token: string): Promise<number> => {
  const json = { query: { type: "ListHubsQuery" } };
  return (await served.call("POST", "/graph/query", { token, json })).status;
};

test("a machine is made with a secret that is told once, and listed without it", async () => {
  const { clientId, clientSecret } = await create({ scopes: ["devices.read", "platform.read"] });
  Object.assign(machine, { clientId, clientSecret });
  const { data } = await served.graph(owner, { type: "ListClientQuery", tenantId });
  const [{ createdAt, ...listed }] = data as [{ createdAt: number }];
  assert.ok(createdAt > 0);
  assert.deepEqual(listed, {
    clientId,
    tenantId,
    name: "Pump",
    scopes: ["devices.read", "platform.read"],
    redirectUris: [],
    auth: "secret",
    earlierSecretUntil: null,
  });
  assert.equal(await lists(await ownToken(served.base, machine, "devices.read")), 200);
});

test("a hub lists a client like any user, and lets it do what its role allows", async () => {
  const { hub, owner: home } = await served.claimed("home@a.example");
  const invite = { hubId: hub.id, clientId: machine.clientId, role: "USER" };
  const token = await ownToken(served.base, machine, "devices.read");
  assert.equal(await codeOf("GetHubQuery", { hubId: hub.id }, token), "E_NOT_FOUND");
  assert.equal(await codeOf("InviteUserHubCommand", invite, home), undefined);
  const { users } = await served.graph(home, { type: "ListUsersHubQuery", hubId: hub.id });
  const email = `client-${machine.clientId}@service.invalid`;
  const listed = (users as { userId: string }[]).find(({ userId }) => userId === machine.clientId);
  assert.deepEqual(listed, { userId: machine.clientId, email, role: "USER", invitedUntil: null });
  assert.equal(await codeOf("GetHubQuery", { hubId: hub.id }, token), undefined);
  for (const wrong of [{ clientId: "nobody" }, { email: "x@a.example" }, { clientId: undefined }])
    assert.match(
      (await codeOf("InviteUserHubCommand", { ...invite, ...wrong }, home)) ?? "",
      /E_(INVALID|NOT_FOUND)/,
    );
  assert.equal(
    await codeOf("RevokeUserHubCommand", { hubId: hub.id, userId: machine.clientId }, home),
    undefined,
  );
  assert.equal(await codeOf("GetHubQuery", { hubId: hub.id }, token), "E_NOT_FOUND");
});

test("with the client go its account and its tokens", async () => {
  const gone = await makeClient(served, "gone@a.example", ["platform.read"]);
  const token = await ownToken(served.base, gone, "platform.read");
  assert.equal(await codeOf("ListTenantQuery", {}, token), undefined);
  // Only the owner of its tenant may see it.
  for (const type of ["RotateSecretClientCommand", "DeleteClientCommand"])
    assert.equal(await codeOf(type, { clientId: gone.clientId }), "E_NOT_FOUND");
  assert.equal(
    await codeOf("CreateClientCommand", { tenantId: "other", name: "x", scopes: ["openid"] }),
    "E_NOT_FOUND",
  );
  const maker = await served.logIn("gone@a.example");
  assert.equal(await codeOf("DeleteClientCommand", { clientId: gone.clientId }, maker), undefined);
  const json = { query: { type: "ListTenantQuery" } };
  assert.equal((await served.call("POST", "/graph/query", { token, json })).status, 401);
  const form = { grant_type: "client_credentials", scope: "platform.read" };
  assert.equal((await ask(served.base, gone, form, served.newCaller())).error, "invalid_client");
  assert.equal(served.test.cloud.kernel.get("account", gone.clientId)?.forgotten, true);
});

test("no client outlives its deletion by what it has made for itself", async () => {
  const scopes = ["platform.read", "platform.write"] as const;
  const maker = await makeClient(served, "boss@a.example", scopes, { redirectUris: [] });
  const { clientId: id } = maker;
  const asked = scopes.join(" ");
  const role = { tenantId, scope: `/Tenant/${tenantId}`, principal: id, role: "reader" };
  assert.equal(await codeOf("AssignRoleTenantCommand", role), undefined);
  for (const chosen of [tenantId, id]) {
    const token = await ownToken(served.base, maker, asked);
    assert.equal(await codeOf("SetActiveTenantCommand", { tenantId: chosen }, token), undefined);
  }
  const token = await ownToken(served.base, maker, asked);
  const { clientId: inner, error } = await create({ tenantId: id, scopes: ["platform.read"] }, token);
  assert.equal(error, undefined);
  const subscription = { tenantId: id, displayName: "Own" };
  assert.equal(await codeOf("CreateSubscriptionCommand", subscription, token), undefined);
  assert.equal(await codeOf("DeleteClientCommand", { clientId: id }), undefined);
  assert.equal(await lists(token), 401);
  for (const each of [id, String(inner)]) assert.equal(served.test.cloud.clients.get(each), undefined);
});

test("nobody is forgotten whose clients would go on without them", async () => {
  const { clientId } = await makeClient(served, "gone@a.example", ["platform.read"]);
  const gone = await accountOf(served, "gone@a.example");
  const forgotten = async (): Promise<string | undefined> =>
    (await served.test.cloud.sharing.forget(gone))?.rejected;
  assert.equal(await forgotten(), "wrong-state");
  assert.equal(await served.test.cloud.clients.delete(clientId, "console"), undefined);
  assert.equal(await forgotten(), undefined);
});

test("a client with a key signs its requests, and gets no secret", async () => {
  const { publicJwk, privateJwk, kid } = await generateIssuerKey();
  const made = await create({ keys: [{ ...publicJwk }] });
  assert.equal(made["clientSecret"], null);
  const key = await crypto.subtle.importKey("jwk", { ...privateJwk }, "Ed25519", false, ["sign"]);
  const options = { execute: [openid.allowInsecureRequests] };
  const auth = openid.PrivateKeyJwt({ key, kid });
  const issuer = new URL(`${served.base}/oauth2`);
  const config = await openid.discovery(issuer, String(made["clientId"]), undefined, auth, options);
  const { access_token } = await openid.clientCredentialsGrant(config, { scope: "devices.read" });
  assert.equal(await lists(access_token), 200);
  const keys = [
    { ...privateJwk },
    { kty: "OKP", crv: "X25519", x: publicJwk.x },
    { kty: "oct", k: "AAAA" },
    { kty: "RSA", n: "AQAB", e: "AQAB" },
    {},
  ];
  for (const wrong of keys)
    assert.equal((await create({ keys: [wrong] })).error?.code, "E_INVALID", JSON.stringify(wrong));
});

test("a program that everybody can read proves nothing, and acts for people only", async () => {
  const scopes = ["openid", "devices.read"];
  const made = await create({ isPublic: true, scopes, redirectUris: [redirectUri] });
  const client = { clientId: String(made["clientId"]), clientSecret: null };
  const { access_token } = await tokensFor(served, client, "ada@a.example", "devices.read");
  assert.equal(await lists(access_token), 200);
  const form = { grant_type: "client_credentials", scope: "devices.read" };
  assert.equal((await ask(served.base, client, form, served.newCaller())).error, "invalid_request");
  assert.equal((await create({ isPublic: true })).error?.code, "E_INVALID");
});

test("addresses to which people are sent are checked when the client is made", async () => {
  for (const uri of [
    "http://app.example/",
    "https://app.example/#x",
    "https://u:p@app.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "app",
    "https://*.example/",
  ])
    assert.equal((await create({ redirectUris: [uri] })).error?.code, "E_INVALID", uri);
  for (const uri of [
    "https://app.example/a",
    "http://127.0.0.1/cb",
    "http://localhost:1234/",
    "org.example.app:/cb",
  ])
    assert.equal((await create({ redirectUris: [uri] })).error, undefined, uri);
});

test("a token makes no client that reaches further than itself, and nobody makes one that operates the platform", async () => {
  const maker = await makeClient(served, "boss@a.example", ["platform.read", "platform.write"]);
  const { access_token } = await tokensFor(served, maker, "boss@a.example", "platform.read platform.write");
  assert.equal((await create({ scopes: ["platform.read"] }, access_token)).error, undefined);
  assert.equal((await create({ scopes: ["devices.control"] }, access_token)).error?.code, "E_INVALID");
  assert.equal((await create({ scopes: ["internal"] })).error?.code, "E_INVALID");
});

test("a token tells no secret of a client that reaches further than itself", async () => {
  const maker = await makeClient(served, "boss@a.example", ["platform.read", "platform.write"]);
  const { access_token } = await tokensFor(served, maker, "boss@a.example", "platform.read platform.write");
  const rotated = (clientId: string, token: string): Promise<string | undefined> =>
    codeOf("RotateSecretClientCommand", { clientId }, token);
  for (const scopes of [["devices.control"], ["platform.read", "devices.read"], ["internal"]] as const) {
    const wider = await makeClient(served, "boss@a.example", scopes);
    assert.equal(await rotated(wider.clientId, access_token), "E_FORBIDDEN", scopes.join(" "));
    await ownToken(served.base, wider, scopes.join(" "));
    assert.equal(await rotated(wider.clientId, owner), undefined);
  }
  const equal = await makeClient(served, "boss@a.example", ["offline_access", "platform.read"]);
  assert.equal(await rotated(equal.clientId, access_token), undefined);
});

test("the scope internal creates tenants, and only the operator's clients have it", async () => {
  const operator = await makeClient(served, "boss@a.example", ["internal", "platform.read"]);
  const command = { type: "CreateTenantCommand", displayName: "Acme" };
  const narrow = await ownToken(served.base, operator, "platform.read");
  assert.equal((await served.graph(narrow, command)).error?.code, "E_FORBIDDEN");
  const token = await ownToken(served.base, operator, "internal platform.read");
  const { tenant } = await served.graph(token, command);
  const { tenantId: made } = tenant as { tenantId: string };
  const [owning] = served.test.cloud.kernel.get("tenant", made)?.roles ?? [];
  assert.equal(owning?.principal, operator.clientId);
  // Nobody can let a client operate the platform on their behalf.
  const forPerson = await tokensFor(served, operator, "ada@a.example", "internal platform.read");
  assert.equal(claimsOf(forPerson.access_token)["scope"], "platform.read");
  assert.equal((await served.graph(forPerson.access_token, command)).error?.code, "E_FORBIDDEN");
});

test("tokens carry the tenant that was active when they were issued", async () => {
  const client = await makeClient(served, "eve@a.example", [
    "openid",
    "offline_access",
    "platform.read",
    "platform.write",
  ]);
  const eve = await accountOf(served, "eve@a.example");
  const command = { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: eve };
  assert.ok((await served.test.cloud.kernel.submit({ commands: [command], origin: "console" })).accepted);
  const scope = "openid offline_access platform.read platform.write";
  const { access_token: former, refresh_token = "" } = await tokensFor(
    served,
    client,
    "eve@a.example",
    scope,
  );
  assert.equal(claimsOf(former)["tenant"], eve);
  const chosen = await served.graph(former, { type: "SetActiveTenantCommand", tenantId: "acme" });
  assert.equal(chosen.error, undefined);
  const { access_token: later } = await ask(served.base, client, {
    grant_type: "refresh_token",
    refresh_token,
  });
  assert.equal(claimsOf(later)["tenant"], "acme");
  const subscribed = (token: string, tenant: string): Promise<string | undefined> =>
    codeOf("CreateSubscriptionCommand", { tenantId: tenant, displayName: "Offices" }, token);
  assert.deepEqual(
    [
      await subscribed(former, eve),
      await subscribed(former, "acme"),
      await subscribed(later, "acme"),
      await subscribed(later, eve),
    ],
    [undefined, "E_NOT_FOUND", undefined, "E_NOT_FOUND"],
  );
  const names = async (token: string): Promise<unknown> => {
    const { json } = await served.call("GET", "/1.0/Tenants/Active", { token });
    return (json as { tenantId: string }).tenantId;
  };
  assert.deepEqual([await names(former), await names(later)], [eve, "acme"]);
});

test("after a rotation the earlier secret is valid for a day", async () => {
  const { clientId } = machine;
  const { clientSecret: next } = await served.graph(owner, { type: "RotateSecretClientCommand", clientId });
  const newer = { clientId, clientSecret: String(next) };
  for (const secret of [machine, newer]) await ownToken(served.base, secret, "devices.read");
  const { data } = await served.graph(owner, { type: "ListClientQuery", tenantId });
  const found = (data as { clientId: string; earlierSecretUntil: number }[]).find(
    (one) => one.clientId === clientId,
  );
  assert.ok((found?.earlierSecretUntil ?? 0) > served.test.clock.wall());
  await served.test.goForward(limits.clientSecretOverlapMs);
  const form = { grant_type: "client_credentials", scope: "devices.read" };
  assert.equal((await ask(served.base, machine, form, served.newCaller())).error, "invalid_client");
  assert.equal((await ask(served.base, newer, form)).status, 200);
  for (const secret of [machine.clientSecret, newer.clientSecret])
    assert.equal(served.test.onDisk(secret), false);
});
