import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { generateIssuerKey, type IssuerKey, keySetOf, signHubKey } from "@ledge/link";
import { features, limits, roles } from "@ledge/model";
import { Callers, type Calling } from "./callers.ts";

let key: IssuerKey;
let keys: ReturnType<typeof keySetOf>;
let now: number;
/** Account by token; and how often tokens were looked up or verified. */
let accounts: Map<string, string>;
let lookups: number;
/** When sessions end. */
let ends: number;
let granted: number | undefined;
let codes: readonly number[];
let callers: Callers;

beforeEach(async () => {
  key = await generateIssuerKey();
  keys = keySetOf([key]);
  now = 1_800_000_000_000;
  accounts = new Map([
    ["ada-token", "ada"],
    ["bea-token", "bea"],
  ]);
  [lookups, granted, codes] = [0, 1, [features.REMOTE_USAGE]];
  ends = now + 1000;
  const known = (token: string): { id: string; jti: string; expires: number } | undefined => {
    lookups++;
    const id = accounts.get(token);
    return id === undefined ? undefined : { id, jti: token, expires: ends };
  };
  callers = new Callers({
    known,
    verified: (token) => Promise.resolve(known(token)),
    accountOf: ({ jti, expires }) => (expires > now ? accounts.get(jti) : undefined),
    grantedBy: () => granted,
    featuresOf: () => codes,
    issuer: "cloud",
    keys: () => keys,
    now: () => now,
    clock: { monotonic: () => 0 },
  });
});

function hubKey(user_id = "ada"): Promise<string> {
  const rest = { hub_name: "Cabin", email: "a@example.org", nickname: "a", role: roles.OWNER_ADMIN };
  return signHubKey({ ...rest, hub_id: "hub-1", user_id, owner: true, auth_seq: 1 }, "cloud", key, now);
}

async function calling(connection: object, user = "ada", shown?: string): Promise<Calling> {
  const headers = { authorization: `Bearer ${user}-token`, "x-hub-key": shown ?? (await hubKey(user)) };
  return { headers, connection, address: "192.0.2.1", hubId: null };
}

/** Returns the user who is admitted, or the status of the refusal. */
async function admitted(asked: Calling): Promise<string | number> {
  const found = await callers.admit(asked);
  return "status" in found ? found.status : found.user;
}

test("judges a request that repeats its connection's credentials without verifying them again", async () => {
  const asked = await calling({});
  assert.equal(await admitted(asked), "ada");
  lookups = 0;
  assert.ok(!(callers.admit(asked) instanceof Promise));
  assert.equal(await admitted(asked), "ada");
  assert.equal(lookups, 0);
});

for (const [what, change, status] of [
  ["the session has ended", () => accounts.delete("ada-token"), 401],
  ["the session has expired", () => (now += 1000), 401],
  ["access was revoked", () => (granted = undefined), 401],
  ["access was given anew, under a newer list", () => (granted = 2), 401],
  ["remote access was turned off", () => (codes = []), 402],
] as const) {
  test(`refuses the next request on the same connection once ${what}`, async () => {
    const asked = await calling({});
    assert.equal(await admitted(asked), "ada");
    change();
    assert.equal(await admitted(asked), status);
  });
}

test("refuses the next request on the same connection once the HubKey has expired", async () => {
  ends = now + 2 * limits.hubKeyMs;
  const asked = await calling({});
  assert.equal(await admitted(asked), "ada");
  now += limits.hubKeyMs + 1;
  assert.equal(await admitted(asked), 401);
});

test("refuses the next request on the same connection once its signing key is withdrawn", async () => {
  const asked = await calling({});
  assert.equal(await admitted(asked), "ada");
  keys = keySetOf([await generateIssuerKey()]);
  callers.clear();
  assert.equal(await admitted(asked), 401);
});

test("holds nothing of a request that was verified while the signing keys changed", async () => {
  const asked = await calling({});
  const first = callers.admit(asked);
  callers.clear();
  await first;
  lookups = 0;
  await callers.admit(asked);
  assert.ok(lookups > 0);
});

test("tells users apart who share the connection of a proxy", async () => {
  const connection = {};
  const [ada, bea] = [await calling(connection), await calling(connection, "bea")];
  for (let turn = 0; turn < 3; turn++) {
    assert.equal(await admitted(ada), "ada");
    assert.equal(await admitted(bea), "bea");
  }
  const [ofBea, ofAda] = [bea.headers["x-hub-key"], ada.headers["x-hub-key"]];
  assert.equal(await admitted(await calling(connection, "ada", ofBea as string)), 403);
  assert.equal(await admitted(await calling(connection, "bea", ofAda as string)), 403);
  assert.equal(await admitted(await calling(connection, "ada", "a.b.c")), 401);
  const none = { ...ada, headers: { authorization: "Bearer ada-token" } };
  assert.equal(await admitted(none), 401);
  assert.equal(await admitted({ ...ada, headers: {} }), 401);
});

test("checks the hub that the path names at each request", async () => {
  const asked = await calling({});
  assert.equal(await admitted(asked), "ada");
  assert.equal(await admitted({ ...asked, hubId: "hub-1" }), "ada");
  assert.equal(await admitted({ ...asked, hubId: "hub-2" }), 403);
});
