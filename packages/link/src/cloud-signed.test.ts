import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, test } from "node:test";
import { limits, roles } from "@ledge/model";
import type { AuthorizationList } from "./authorization-list.ts";
import { signAuthorizationList, verifyAuthorizationList } from "./authorization-list.ts";
import { signCloudToken, verifyCloudToken } from "./cloud-token.ts";
import { signHubAssertion, verifyHubAssertion } from "./hub-assertion.ts";
import type { IssuerKey, KeySet } from "./signed.ts";
import { generateIssuerKey, jwksOf, keySetFrom, keySetOf, sign } from "./signed.ts";
import { signHubKey, verifyHubKey } from "./token.ts";

const now = Date.UTC(2026, 0, 15, 10);
const issuer = "https://cloud.example";
const hubId = "hub-1";
let key: IssuerKey;
let other: IssuerKey;
let keys: KeySet;

before(async () => {
  key = await generateIssuerKey();
  other = await generateIssuerKey();
  keys = keySetOf([key]);
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part = ""): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;

/**
 * Returns forged versions of a signed text: without a signature, signed with the public key as a secret, and
 * with a changed claim.
 */
function forgeries(text: string): Record<string, string> {
  const [header = "", payload = "", signature = ""] = text.split(".");
  const named = (alg: string): string => encode({ ...decode(header), alg });
  const hs256 = `${named("HS256")}.${payload}`;
  const mac = createHmac("sha256", Buffer.from(key.publicJwk.x ?? "", "base64url"))
    .update(hs256)
    .digest("base64url");
  return {
    algorithm: `${named("none")}.${payload}.`,
    "algorithm ": `${named("none")}.${payload}.${signature}`,
    "algorithm  ": `${hs256}.${mac}`,
    signature: `${header}.${encode({ ...decode(payload), forged: true })}.${signature}`,
    malformed: `${header}.${payload}`,
    "malformed ": "",
    "malformed  ": `${text}=`,
  };
}

const user = { user_id: "u1", email: "ada@example.org", nickname: "ada" };
const owner = { ...user, role: roles.OWNER_ADMIN, owner: true, granted: 1 };
const guest = { ...user, user_id: "u2", role: roles.GUEST, owner: false, granted: 3 };
const list: AuthorizationList = { hub_id: hubId, seq: 7, users: [owner, guest] };
const hubKeyClaims = { hub_id: hubId, hub_name: "Cabin", ...owner, auth_seq: 7 };
const assertion = { hub_id: hubId, nonce: "n1" };

/** Each kind of signed text: how a key makes one, and how a text of that kind is verified. */
const kinds = {
  "a cloud token": {
    make: (by: IssuerKey) => signCloudToken({ role: 8, user_id: "u1", jti: "j1" }, issuer, by, now),
    problem: async (text: string) => (await verifyCloudToken(text, { keys, issuer }, now)).problem,
  },
  "a list of users": {
    make: (by: IssuerKey) => signAuthorizationList(list, issuer, by, now),
    problem: async (text: string) =>
      (await verifyAuthorizationList(text, { keys, issuers: [issuer], hubId, seq: 7 })).problem,
  },
  "a hub's assertion": {
    make: (by: IssuerKey) => signHubAssertion(assertion, issuer, by),
    problem: async (text: string) =>
      (await verifyHubAssertion(text, { hub_id: hubId, audience: [issuer], publicJwk: key.publicJwk }))
        .problem,
  },
  "a hub key": {
    make: (by: IssuerKey) => signHubKey(hubKeyClaims, issuer, by, now),
    problem: async (text: string) =>
      (
        await verifyHubKey(
          text,
          { issuers: [{ name: issuer, keys, lifetimeMs: limits.hubKeyMs }], hubId },
          now,
        )
      ).problem,
  },
} as const;

for (const [what, { make, problem }] of Object.entries(kinds)) {
  describe(what, () => {
    test("is accepted from the right key, and refused when forged, changed or from another key", async () => {
      assert.equal(await problem(await make(key)), undefined);
      assert.equal(await problem(await make(other)), "unknown-key");
      assert.equal(await problem(await make({ ...other, kid: key.kid })), "signature");
      for (const [why, text] of Object.entries(forgeries(await make(key))))
        assert.equal(await problem(text), why.trim());
    });

    test("serves no other purpose", async () => {
      for (const [name, kind] of Object.entries(kinds)) {
        if (name !== what) assert.notEqual(await problem(await kind.make(key)), undefined, name);
      }
    });
  });
}

describe("cloud tokens", () => {
  const claims = { role: roles.IDENTIFIED_USER, user_id: "u1", jti: "j1" };
  const problem = async (text: string, at = now, by = issuer) =>
    (await verifyCloudToken(text, { keys, issuer: by }, at)).problem;

  test("carry what clients read, for 28 days", async () => {
    const text = await signCloudToken(claims, issuer, key, now);
    const [header, payload] = text.split(".");
    assert.deepEqual(decode(header), { alg: "EdDSA", typ: "JWT", kid: key.kid });
    const iat = now / 1000;
    const exp = iat + 28 * 86_400;
    const rest = { iat, exp, kid: key.kid, iss: issuer, aud: issuer };
    assert.deepEqual(decode(payload), { ...claims, ...rest });
    const { token } = await verifyCloudToken(text, { keys, issuer }, now);
    assert.deepEqual(token, { ...claims, iat, exp, kid: key.kid });
    assert.equal(await problem(text, now + limits.cloudTokenMs - 1), undefined);
    assert.equal(await problem(text, now + limits.cloudTokenMs), "expired");
    assert.equal(await problem(text, now, "https://other.example"), "issuer");
  });

  test("are refused with other claims, even when correctly signed", async () => {
    const good = decode((await signCloudToken(claims, issuer, key, now)).split(".")[1]);
    assert.equal(await problem(await sign(good, "JWT", key)), undefined);
    for (const [change, why] of [
      [{ jti: undefined }, "claims"],
      [{ jti: 5 }, "claims"],
      [{ user_id: "" }, "claims"],
      [{ user_id: undefined }, "claims"],
      [{ role: 9 }, "claims"],
      [{ kid: "other" }, "claims"],
      [{ exp: undefined }, "claims"],
      [{ iat: undefined }, "claims"],
      [{ aud: hubId }, "audience"],
      [{ iss: undefined }, "issuer"],
    ] as const) {
      assert.equal(
        await problem(await sign({ ...good, ...change } as Record<string, unknown>, "JWT", key)),
        why,
      );
    }
  });
});

describe("lists of users", () => {
  const read = (text: string, changed: object = {}) =>
    verifyAuthorizationList(text, { keys, issuers: [issuer], hubId, seq: 7, ...changed });

  test("carry who has access, and can be read twice", async () => {
    const text = await signAuthorizationList(list, issuer, key, now);
    assert.deepEqual((await read(text)).list, list);
    assert.deepEqual((await read(text, { seq: 6 })).list, list);
    const empty = { ...list, users: [] };
    assert.deepEqual((await read(await signAuthorizationList(empty, issuer, key, now))).list, empty);
  });

  test("are refused with a lower number, for another hub, or from another issuer", async () => {
    const text = await signAuthorizationList(list, issuer, key, now);
    assert.equal((await read(text, { seq: 8 })).problem, "stale");
    assert.equal((await read(text, { hubId: "hub-2" })).problem, "audience");
    assert.equal((await read(text, { issuers: ["https://other.example"] })).problem, "issuer");
  });

  test("have at most as many users as the limit", async () => {
    const long = "x".repeat(limits.nameChars);
    const crowd = (count: number) => {
      const guests = Array.from({ length: count - 1 }, (_, index) => {
        return { ...guest, user_id: `${long}${index}`.slice(-36), email: long, nickname: long };
      });
      return signAuthorizationList({ ...list, users: [owner, ...guests] }, issuer, key, now);
    };
    assert.equal((await read(await crowd(limits.users))).problem, undefined);
    assert.equal((await read(await crowd(limits.users + 1))).problem, "claims");
    assert.equal((await read("A".repeat(limits.authorizationListChars + 1))).problem, "malformed");
  });

  for (const [what, users] of [
    ["two owners", [owner, { ...owner, user_id: "u3" }]],
    ["no owner", [guest]],
    ["one user twice", [owner, { ...guest, user_id: "u1" }]],
    ["an unknown role", [owner, { ...guest, role: 16 }]],
    ["an anonymous user", [owner, { ...guest, role: roles.ANONYMOUS }]],
    ["an owner of another role", [{ ...owner, role: roles.USER_ADMIN }]],
    ["a user without id", [{ ...owner, user_id: "" }]],
    ["a user without address", [{ ...owner, email: undefined }]],
    ["nobody", [null]],
    ["no list", "users"],
  ] as const) {
    test(`are refused with ${what}, even when correctly signed`, async () => {
      const odd = await sign(
        { iss: issuer, aud: hubId, iat: 1, hub_id: hubId, seq: 9, users },
        "ledge-authorizations+jwt",
        key,
      );
      assert.equal((await read(odd)).problem, "claims");
    });
  }

  test("are refused without a valid number", async () => {
    for (const seq of [undefined, -1, 0.5, "9", null]) {
      const claims = { iss: issuer, aud: hubId, iat: 1, hub_id: hubId, users: [], seq };
      const odd = await sign(claims, "ledge-authorizations+jwt", key);
      assert.equal((await read(odd)).problem, "claims", String(seq));
    }
  });
});

test("a hub's assertion is for one cloud and one hub, and carries its nonce", async () => {
  const text = await signHubAssertion(assertion, issuer, key);
  const read = (changed: object = {}) =>
    verifyHubAssertion(text, { hub_id: hubId, audience: [issuer], publicJwk: key.publicJwk, ...changed });
  assert.deepEqual(await read(), { nonce: "n1" });
  assert.equal((await read({ audience: ["https://other.example"] })).problem, "audience");
  assert.equal((await read({ hub_id: "hub-2" })).problem, "claims");
  assert.equal((await read({ publicJwk: other.publicJwk })).problem, "unknown-key");
  const { x, kty, crv } = key.publicJwk;
  assert.deepEqual(await read({ publicJwk: { x, kty, crv } }), { nonce: "n1" });
});

describe("published key sets", () => {
  test("contain several keys and nothing private, and are read as published", async () => {
    const leaky = keySetOf([{ ...key, publicJwk: key.privateJwk }, other]);
    const published = jwksOf(leaky);
    assert.ok(!JSON.stringify(published).includes(String(key.privateJwk.d)));
    const set = keySetFrom(JSON.parse(JSON.stringify(published)));
    assert.deepEqual(set, keySetOf([key, other]));
    for (const by of [key, other]) {
      const text = await signCloudToken({ role: 8, user_id: "u", jti: "j" }, issuer, by, now);
      const { problem } = await verifyCloudToken(text, { keys: set ?? new Map(), issuer }, now);
      assert.equal(problem, undefined);
    }
  });

  test("keySetFrom skips keys of other kinds, and refuses anything but a key set", () => {
    const good = jwksOf(keys).keys[0] as object;
    const odd = [
      { ...good, kty: "RSA" },
      { ...good, crv: "X25519" },
      { ...good, kid: 5 },
      null,
      "x",
      { kid: "a" },
    ];
    assert.deepEqual(keySetFrom({ keys: [...odd, good] }), keys);
    for (const none of [null, undefined, 5, "x", [], {}, { keys: {} }, { keys: [good, good] }])
      assert.equal(keySetFrom(none), undefined);
    const many = (count: number) => ({
      keys: Array.from({ length: count }, (_, kid) => ({ ...good, kid: `${kid}` })),
    });
    assert.equal(keySetFrom(many(limits.signingKeys))?.size, limits.signingKeys);
    assert.equal(keySetFrom(many(limits.signingKeys + 1)), undefined);
  });
});
