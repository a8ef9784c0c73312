import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { redirectProblem } from "./redirect-uri.ts";
import { accountAdded, givenCloud } from "./test-given.ts";

const about = {
  tenant: "ada",
  name: "Pump",
  scopes: ["devices.read"],
  redirectUris: [],
  auth: "secret",
  keys: [],
  digest: "d1",
};
const create = { type: "CREATE_CLIENT", id: "c1", ...about };
const created = (id = "c1") => ({ ...create, type: "ClientCreated", id });

test("a client is of a tenant that exists, and its id is used once", () => {
  givenCloud([accountAdded("ada")])
    .when(create)
    .then([created()]);
  givenCloud().when(create).then({ rejected: "not-found", field: "tenantId" });
  givenCloud([accountAdded("ada"), created()])
    .when(create)
    .then({ rejected: "wrong-state", field: "clientId" });
});

test("what a client proves itself with is one thing, and one that proves nothing has people to send", () => {
  const given = givenCloud([accountAdded("ada")]);
  for (const wrong of [
    { auth: "key" },
    { auth: "secret", digest: null },
    { auth: "secret", keys: [{ kty: "OKP" }] },
    { auth: "key", keys: [{ kty: "OKP" }] },
  ])
    given.when({ ...create, ...wrong }).then({ rejected: "invalid", field: "keys" });
  given.when({ ...create, auth: "none", digest: null }).then({ rejected: "invalid", field: "redirectUris" });
});

test("a tenant has so many clients and no more", () => {
  const people = [accountAdded("ada"), accountAdded("bob")];
  const most = Array.from({ length: limits.clientsPerTenant - 1 }, (_, at) => created(`c${at + 2}`));
  givenCloud([...people, ...most])
    .when(create)
    .then([created()]);
  const full = givenCloud([...people, ...most, created()]);
  full.when({ ...create, id: "more" }).then({ rejected: "wrong-state", field: "limit" });
  const other = { ...create, id: "other", tenant: "bob" };
  full.when(other).then([{ ...other, type: "ClientCreated" }]);
});

test("a new secret leaves the earlier one for a while, and no third", () => {
  const rotated = (digest: string, until: number) => ({
    type: "ClientSecretRotated",
    id: "c1",
    digest,
    until,
  });
  const rotate = { type: "ROTATE_CLIENT_SECRET", id: "c1", digest: "d3" };
  const twice = givenCloud([accountAdded("ada"), created(), rotated("d2", 10), rotated("d3", 20)]);
  assert.deepEqual(twice.state("client", "c1")?.clientSecrets, [
    { digest: "d3", until: null },
    { digest: "d2", until: 20 },
  ]);
  const key = { ...created(), auth: "key", keys: [{ kty: "OKP" }], digest: null };
  givenCloud([accountAdded("ada"), key])
    .when(rotate)
    .then({ rejected: "wrong-state", field: "clientId" });
  givenCloud().when(rotate).then({ rejected: "not-found", field: "clientId" });
});

test("people are sent to addresses that nobody else can take", () => {
  for (const good of [
    "https://app.example/callback?x=1",
    "https://app.example:8443/",
    "http://127.0.0.1/callback",
    "http://[::1]:1/",
    "http://localhost/",
    "org.example.app:/callback",
  ])
    assert.equal(redirectProblem(good), undefined, good);
  for (const bad of [
    "",
    "app",
    "/callback",
    "http://app.example/",
    "https://localhost/",
    "https://app.example/#",
    "https://app.example/#x",
    "https://user@app.example/",
    "https://app.example\\@evil.example/",
    "https://app.example/ x",
    "https://app.example/*",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
  ])
    assert.notEqual(redirectProblem(bad), undefined, bad);
});
