// Attacks with keys that are stolen, forged or made for another purpose, against a hub and a cloud in processes
// of their own.
import assert from "node:assert/strict";
import { createHmac, createPublicKey, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, test } from "node:test";
import { generateIssuerKey, signHubKey } from "@ledge/link";
import { limits, roles } from "@ledge/model";
import type { CloudProcess, FullClient } from "@ledge/testkit/client";
import { CloudHome } from "../testdata/cloud-home.ts";
import { eventually, type HubProcess, ledge } from "../testdata/hub-process.ts";

const owner = "ada@example.org";
let home: CloudHome;
let cloud: CloudProcess;
let hub: HubProcess;
let ada: FullClient;

before(async () => {
  home = new CloudHome();
  cloud = await home.cloud();
  hub = await home.hub(cloud.url);
  await home.claim(hub, owner);
  ada = await home.client(cloud, owner);
  await eventually("the hub by the relay", () => ada.poll().catch(() => undefined));
});
after(() => CloudHome.end());

type Part = Record<string, unknown>;
const encode = (part: Part | string): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");
const decode = (token: string, part: 0 | 1): Part =>
  JSON.parse(Buffer.from(token.split(".")[part] ?? "", "base64url").toString()) as Part;

/** The status of an API call with these credentials, at the hub itself and through the relay. */
async function relayed(token: string, key: string, path = "/relay/cc/1.14/devices"): Promise<number> {
  const response = await fetch(cloud.url + path, { headers: { authorization: token, "x-hub-key": key } });
  await response.arrayBuffer();
  return response.status;
}
/** Each call comes from another address, because many bad keys from one address are blocked for a while. */
async function local(key: string, { address }: HubProcess = hub): Promise<number> {
  const asked = request(`${address}/cc/1.14/devices`, {
    headers: { authorization: key },
    localAddress: `127.1.0.${++calls}`,
  }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}
let calls = 0;

test("the owner's own token and key work both ways, so the refusals below are due to their faults", async () => {
  assert.deepEqual([await local(ada.key), await relayed(ada.token, ada.key)], [200, 200]);
});

test("refuses a key that a stranger has signed, whatever key id it names", async () => {
  const stranger = await generateIssuerKey();
  const claims = { ...decode(ada.key, 1), role: roles.OWNER_ADMIN } as unknown as Parameters<
    typeof signHubKey
  >[0];
  const issuer = String(decode(ada.key, 1)["iss"]);
  const { kid } = decode(ada.key, 0);
  for (const key of [stranger, { ...stranger, kid: String(kid) }]) {
    const forged = await signHubKey(claims, issuer, key, Date.now());
    assert.deepEqual([await local(forged), await relayed(ada.token, forged)], [401, 401]);
  }
});

test("refuses a key with changed claims, without a signature, or signed with public data", async () => {
  const [, , signature = ""] = ada.key.split(".");
  const header = decode(ada.key, 0);
  const claims = { ...decode(ada.key, 1), exp: Math.floor(Date.now() / 1000) + 1e9 };
  const published = await fetch(`${cloud.url}/.well-known/jwks.json`);
  const { keys } = (await published.json()) as { keys: (Part & { kid: string; x: string })[] };
  const jwk = keys.find(({ kid }) => kid === header["kid"]) ?? assert.fail("the key that signs is published");
  assert.ok(!("d" in jwk));
  const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
  const secrets = [Buffer.from(jwk.x, "base64url"), jwk.x, JSON.stringify(jwk), pem];
  const hs256 = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
  const bad = [
    `${encode(header)}.${encode(claims)}.${signature}`,
    ...["none", "None", "NONE"].flatMap((alg) => {
      const unsigned = `${encode({ ...header, alg })}.${encode(claims)}`;
      return [`${unsigned}.`, unsigned, `${unsigned}.${signature}`];
    }),
    ...secrets.map((secret) => `${hs256}.${createHmac("sha256", secret).update(hs256).digest("base64url")}`),
    `${ada.key}=`,
    `${ada.key}A`,
    `${encode({ ...header, jwk })}.${encode(claims)}.${signature}`,
  ];
  for (const key of bad) assert.deepEqual([await local(key), await relayed(ada.token, key)], [401, 401], key);
});

test("refuses a token that is used for anything but its purpose", async () => {
  assert.equal(await local(ada.token), 401);
  assert.deepEqual([await relayed(ada.key, ada.key), await relayed(ada.token, ada.token)], [401, 401]);
  assert.deepEqual([await relayed(ada.key, ada.token), await relayed("", ada.key)], [401, 401]);
  const asCloudToken = await fetch(`${cloud.url}/ui/0.2/user/hubkeys`, {
    headers: { authorization: ada.key },
  });
  assert.equal(asCloudToken.status, 401);
});

test("a key opens its own hub only; one that the hub has signed works on the local network only", async () => {
  const other = new CloudHome();
  const second = await other.hub(cloud.url);
  await other.claim(second, owner);
  const { hubId } = (await (await fetch(`${second.address}/hub`)).json()) as { hubId: string };
  const client = await home.client(cloud, owner);
  await eventually("the second hub", () =>
    client.bootstrap(hubId).then(
      () => true,
      () => undefined,
    ),
  );
  assert.equal(await local(client.key, second), 200);
  assert.equal(await local(client.key), 401);
  const toFirst = `/ui/0.2/hub/${ada.claims.hub_id}/remote/cc/1.14/devices`;
  assert.deepEqual(
    [await relayed(ada.token, ada.key, toFirst), await relayed(ada.token, client.key, toFirst)],
    [200, 403],
  );
  const { stdout } = await ledge("key", "--recover", "--data", second.folder);
  const recovered = stdout.trim();
  assert.equal(await local(recovered, second), 200);
  assert.deepEqual([await local(recovered), await relayed(ada.token, recovered)], [401, 401]);
});

test("the relay accepts a key from its holder only", async () => {
  const bob = await home.client(cloud, "bob@example.org");
  assert.equal(await relayed(bob.token, ada.key), 403);
});

test("the relay refuses a revoked user at once, and the hub does after the next list of users", async () => {
  const eve = "eve@example.org";
  const body = JSON.stringify({ hubId: ada.claims.hub_id, email: eve, role: roles.REMOTE_GUEST });
  const access = async (method: string, path: string, { token } = ada): Promise<void> => {
    const answer = await fetch(`${cloud.url}/ui/0.2/user/${path}`, {
      method,
      headers: { authorization: token },
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
  };
  await access("POST", "invite");
  const guest = await home.client(cloud, eve);
  await access("POST", "invitation", guest);
  await guest.bootstrap();
  assert.deepEqual([await local(guest.key), await relayed(guest.token, guest.key)], [200, 200]);
  await access("DELETE", "authorization");
  assert.equal(await relayed(guest.token, guest.key), 401);
  await eventually("the hub hears of it", async () => ((await local(guest.key)) === 401 ? true : undefined));
  await assert.rejects(guest.bootstrap(), /no key/);
  await hub.kill();
  await cloud.kill();
  hub = await home.hub(cloud.url, "--port", new URL(hub.address).port);
  assert.deepEqual(
    [await local(guest.key), await local(ada.key)],
    [401, 200],
    "without the cloud, after a restart",
  );
  cloud = await home.cloud(cloud.port);
});

/** @returns status and body, without headers that depend on the time */
async function login(path: string, fields: Part): Promise<unknown[]> {
  const response = await fetch(`${cloud.url}/ui/0.2/user/${path}`, {
    method: "POST",
    body: JSON.stringify(fields),
  });
  const headers = [...response.headers].filter(([name]) => name !== "date");
  return [response.status, await response.text(), headers];
}

test("a one-time password works once, and is void after a few wrong tries", async () => {
  const email = `${randomUUID()}@example.org`;
  const status = async (password: string) => (await login("emaillogin", { email, password }))[0];
  await login("requestlogin", { email });
  const first = cloud.passwordOf(email);
  assert.deepEqual([await status(first), await status(first)], [200, 401]);
  await login("requestlogin", { email });
  const second = cloud.passwordOf(email);
  assert.equal(await status(first), 401);
  const wrong = await Promise.all(Array.from({ length: limits.loginTries - 1 }, () => status("AAAAAA")));
  assert.deepEqual([...new Set(wrong)], [401]);
  assert.equal(await status(second), 401, "the right one comes too late");
  let tries = 0;
  while ((await status("AAAAAA")) === 401) assert.ok(++tries < limits.loginAttemptsPerEmail);
  const tooMany = await fetch(`${cloud.url}/ui/0.2/user/emaillogin`, {
    method: "POST",
    body: JSON.stringify({ email, password: second }),
  });
  assert.equal(tooMany.status, 429);
  assert.ok(Number(tooMany.headers.get("retry-after")) > 0);
});

test("does not reveal which addresses have accounts", async () => {
  for (const [path, more] of [
    ["requestlogin", {}],
    ["emaillogin", { password: "AAAAAA" }],
    ["login", { password: "a guess, a long one" }],
  ] as const) {
    const answers = [owner, "nobody@example.org"].map((email) => login(path, { email, ...more }));
    const [known, unknown] = await Promise.all(answers);
    assert.deepEqual(known, unknown, path);
  }
});
