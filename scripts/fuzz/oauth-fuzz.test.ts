import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../crash/random.ts";
import { fuzzOAuth } from "./oauth-fuzz.ts";
import { type OAuthCase, problemsOf } from "./oauth-problems.ts";
import { isIntact, spoiltForm } from "./oauth-requests.ts";

test("a short run: the OAuth2 server copes with hostile requests to each endpoint", async () => {
  const result = await fuzzOAuth({ cases: 200, seed: "short", tell: () => {} });
  assert.deepEqual(result.failures, []);
  assert.equal(result.cases, 200);
  for (const outcome of ["200", "303", "400", "401", "413", "token"])
    assert.ok(result.byStatus[outcome], outcome);
});

const own = [
  ["client_id", "a"],
  ["client_secret", "s"],
  ["code", "c"],
] as const;
const foreign = { client_id: ["b"], client_secret: ["t"] };

test("a seed determines the requests, and each form is sent in many ways", () => {
  const kinds = new Set<string>();
  for (let index = 0; index < 400; index++) {
    const made = (): ReturnType<typeof spoiltForm> =>
      spoiltForm(own, { random: seeded(`${index}`), ids: [] }, foreign);
    assert.deepEqual(made(), made());
    kinds.add(made().kind);
  }
  assert.ok(kinds.size > 15, [...kinds].join());
});

test("tells whole forms from those that may bring nothing", () => {
  const names = own.map(([name]) => name);
  const form = { kind: "", text: "", headers: [], contentType: "application/x-www-form-urlencoded" };
  const whole = (entries: typeof form & Pick<Parameters<typeof isIntact>[0], "entries">): boolean =>
    isIntact(entries, own, names);
  assert.ok(whole({ ...form, entries: own }));
  assert.ok(whole({ ...form, entries: [...own, ["more", "x"]] }));
  assert.ok(!whole({ ...form, entries: [...own, ["code", "c"]] }));
  assert.ok(!whole({ ...form, entries: own.slice(1) }));
  assert.ok(isIntact({ ...form, entries: own.slice(1) }, own, names, ["client_id"]));
  assert.ok(!whole({ ...form, entries: own, contentType: "text/plain" }));
});

test("reports what a server does wrong", () => {
  const cloud = "http://cloud.example";
  const made: OAuthCase = {
    name: "auth",
    method: "GET",
    path: "/oauth2/auth",
    headers: [],
    body: Buffer.alloc(0),
    kind: "plain",
    places: ["https://app.example/callback"],
    mayGetCode: false,
    claims: undefined,
    secrets: ["hush"],
  };
  const found = (sent: object, more: Partial<OAuthCase> = {}): string =>
    problemsOf(
      { ...made, ...more },
      { status: 200, isJson: false, head: [], body: "", ...sent },
      cloud,
    ).join();
  const to = (place: string, more: Partial<OAuthCase> = {}): string =>
    found({ head: [`Location: ${place}`] }, more);
  assert.equal(found({}), "");
  assert.match(found({ status: undefined }), /no answer/);
  assert.match(found({ status: 500 }), /^500/);
  assert.equal(to("/oauth2/interaction/x"), "");
  assert.equal(to("https://app.example/callback?error=x"), "");
  assert.match(to("https://app.example/other"), /sends the browser/);
  assert.match(to("//evil.example/callback"), /sends the browser/);
  assert.match(to("https://app.example/callback?code=x"), /a code/);
  assert.equal(to("https://app.example/callback?code=x", { mayGetCode: true }), "");
  const claims = { client_id: "a", sub: "p" };
  const token = (of: object): string =>
    JSON.stringify({ access_token: `e.${Buffer.from(JSON.stringify(of)).toString("base64url")}.s` });
  assert.match(found({ body: token(claims) }), /wrong request/);
  assert.equal(found({ body: token(claims) }, { claims }), "");
  assert.match(found({ body: token({ ...claims, client_id: "b" }) }, { claims }), /token of another/);
  assert.match(found({ body: "hush" }), /reveals a secret/);
  assert.match(found({ head: ["Content-Type: text/html"], body: "<script>" }), /script.*policy/);
  const client = {
    name: "client",
    body: Buffer.from('{"command":{"redirectUris":["javascript:alert(1)"]}}'),
  };
  assert.match(found({ body: '{"result":{"clientId":"a"}}' }, client), /a client at javascript/);
  assert.match(found({ body: '{"result":{"error":{"code":"E_UNKNOWN"}}}' }, client), /a fault/);
});
