import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, test } from "node:test";
import { accessMasks, limits, roles } from "@ledge/model";
import fc from "fast-check";
import { generateIssuerKey, type IssuerKey, keySetOf, type TokenProblem } from "./signed.ts";
import { type HubKeyClaims, type HubKeyIssuer, signHubKey, verifyHubKey } from "./token.ts";

const now = Date.UTC(2026, 0, 15, 10);
const issuer = "https://issuer.example";
const hubId = "7d0d0f0c-1d52-4b0e-8a31-1f2c3d4e5f60";
const claims: HubKeyClaims = {
  hub_id: hubId,
  hub_name: "Cabin",
  user_id: "0b5b6f6a-3f5e-4f0e-9d0b-0d9a8c7b6a50",
  email: "ada@example.org",
  nickname: "ada",
  role: roles.USER_ADMIN,
  owner: false,
  auth_seq: 3,
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as Record<string, unknown>;

describe("HubKeys", () => {
  let key: IssuerKey;
  let other: IssuerKey;
  let token: string;
  let own: HubKeyIssuer;

  before(async () => {
    key = await generateIssuerKey();
    other = await generateIssuerKey();
    token = await signHubKey(claims, issuer, key, now);
    own = { name: issuer, keys: keySetOf([key]), lifetimeMs: limits.hubKeyMs };
  });

  const problem = async (text: string, at = now, hub = hubId): Promise<TokenProblem | undefined> =>
    (await verifyHubKey(text, { issuers: [own], hubId: hub }, at)).problem;

  test("refuses a key signed by one issuer in the name of another", async () => {
    const neighbour = { name: "https://a.example", keys: keySetOf([other]), lifetimeMs: limits.hubKeyMs };
    const issuers = [neighbour, own];
    for (const [name, by] of [
      [neighbour.name, key],
      [issuer, other],
    ] as const) {
      const borrowed = await signHubKey(claims, name, by, now);
      assert.equal((await verifyHubKey(borrowed, { issuers, hubId }, now)).problem, "issuer");
    }
  });

  test("refuses a key with a longer lifetime than its issuer may give", async () => {
    const day = { ...own, lifetimeMs: limits.recoveredKeyMs };
    const good = await signHubKey(claims, issuer, key, now, limits.recoveredKeyMs);
    const years = await signHubKey(claims, issuer, key, now, limits.recoveredKeyMs + 1000);
    assert.equal((await verifyHubKey(good, { issuers: [day], hubId }, now)).problem, undefined);
    assert.equal((await verifyHubKey(years, { issuers: [day], hubId }, now)).problem, "expired");
  });

  test("a signed key verifies and carries its claims", async () => {
    const verified = await verifyHubKey(
      token,
      { issuers: [{ ...own, keys: keySetOf([other, key]) }], hubId },
      now,
    );
    const iat = now / 1000;
    const exp = (now + limits.hubKeyMs) / 1000;
    assert.deepEqual(verified, { key: { ...claims, iss: issuer, aud: hubId, iat, exp, kid: key.kid } });
  });

  test("clients can decode header and payload (wire-facts 4)", () => {
    const [header, payload] = token.split(".");
    assert.deepEqual(decode(header), { alg: "EdDSA", typ: "JWT", kid: key.kid });
    assert.equal(decode(payload)["hub_id"], hubId);
    assert.equal(decode(payload)["owner"], false);
  });

  test("a key is valid until the second in which it expires", async () => {
    assert.equal(await problem(token, now + limits.hubKeyMs - 1), undefined);
    assert.equal(await problem(token, now + limits.hubKeyMs), "expired");
  });

  test("a user's id may have the greatest length", async () => {
    const longest = { ...claims, user_id: "u".repeat(limits.idChars) };
    assert.equal(await problem(await signHubKey(longest, issuer, key, now)), undefined);
  });

  test("generateIssuerKey separates the public and the private key", () => {
    assert.equal(key.publicJwk.kty, "OKP");
    assert.equal(key.publicJwk.crv, "Ed25519");
    assert.equal(key.publicJwk.d, undefined);
    assert.equal(typeof key.privateJwk.d, "string");
    assert.notEqual(key.kid, other.kid);
  });

  test("refuses a token by another key, whatever kid it names", async () => {
    assert.equal(await problem(await signHubKey(claims, issuer, other, now)), "unknown-key");
    const disguised = await signHubKey(claims, issuer, { ...other, kid: key.kid }, now);
    assert.equal(await problem(disguised), "signature");
  });

  test("refuses another issuer and another hub", async () => {
    assert.equal(await problem(await signHubKey(claims, "https://other.example", key, now)), "issuer");
    assert.equal(await problem(token, now, "another-hub"), "audience");
  });

  test("refuses alg none, and HS256 with the public key as secret", async () => {
    const [header = "", payload = "", signature = ""] = token.split(".");
    for (const alg of ["none", "None", "nOnE"]) {
      const unsigned = `${encode({ ...decode(header), alg })}.${payload}.`;
      assert.equal(await problem(unsigned), "algorithm");
      assert.equal(await problem(`${unsigned}${signature}`), "algorithm");
    }
    const forged = `${encode({ ...decode(header), alg: "HS256" })}.${payload}`;
    for (const secret of [JSON.stringify(key.publicJwk), Buffer.from(key.publicJwk.x ?? "", "base64url")]) {
      const mac = createHmac("sha256", secret).update(forged).digest("base64url");
      assert.equal(await problem(`${forged}.${mac}`), "algorithm");
    }
  });

  test("refuses a changed claim by its signature", async () => {
    const [header, payload, signature] = token.split(".");
    const raised = encode({ ...decode(payload), role: roles.OWNER_ADMIN });
    assert.equal(await problem(`${header}.${raised}.${signature}`), "signature");
  });

  for (const [what, changed] of [
    ["a role of two bits", { role: roles.GUEST | roles.USER_ADMIN }],
    ["an access mask for a role", { role: accessMasks.USER_ADMIN }],
    ["the console's role", { role: accessMasks.SUPER_ADMIN }],
    ["role 0", { role: 0 }],
    ["a role as text", { role: "32" }],
    ["no user", { user_id: "" }],
    ["a user's id over the limit", { user_id: "u".repeat(limits.idChars + 1) }],
    ["a negative authorization number", { auth_seq: -1 }],
    ["a fraction of an authorization number", { auth_seq: 0.5 }],
    ["owner as text", { owner: "true" }],
    ["no e-mail", { email: undefined }],
  ] as const) {
    test(`refuses ${what}, even when correctly signed`, async () => {
      const odd = { ...claims, ...changed } as unknown as HubKeyClaims;
      assert.equal(await problem(await signHubKey(odd, issuer, key, now)), "claims");
    });
  }

  for (const [what, text] of [
    ["nothing", ""],
    ["one part", "abc"],
    ["dots", ".."],
    ["five parts", "a.b.c.d.e"],
    ["base64 of no JSON", "YWJj.YWJj.YWJj"],
    ["a header that is a list", `${encode([])}.${encode({})}.YWJj`],
  ] as const) {
    test(`refuses ${what}`, async () => {
      assert.match((await problem(text)) ?? "", /^(malformed|algorithm)$/);
    });
  }

  test("refuses another spelling of the same bytes", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const parts = token.split(".");
    const [header = "", payload = "", signature = ""] = parts;
    const bytes = Buffer.from(signature, "base64url");
    // The last character of 64 bytes has four spare bits.
    const spare = Array.from(alphabet, (char) => signature.slice(0, -1) + char);
    const same = spare.filter((text) => Buffer.from(text, "base64url").equals(bytes));
    assert.equal(same.length, 16);
    const others = same.filter((text) => text !== signature);
    const padded = `${signature}==`;
    const plain = bytes.toString("base64").replace(/=+$/, "");
    const spaced = `${signature.slice(0, 5)} ${signature.slice(5)}`;
    for (const text of [...others, padded, spaced, ...(plain === signature ? [] : [plain])]) {
      assert.equal(await problem(`${header}.${payload}.${text}`), "malformed");
    }
  });

  test("accepts a token of the greatest length, and no longer one", async () => {
    const sized = async (length: number): Promise<string> => {
      // Base64url makes 4 characters of 3 bytes: finds the first length that is not too short.
      for (let chars = 0; ; chars++) {
        const text = await signHubKey({ ...claims, nickname: "n".repeat(chars) }, issuer, key, now);
        if (text.length >= length) return text;
        chars += Math.max(0, Math.floor((length - text.length) * 0.75) - 3);
      }
    };
    const longest = await sized(limits.tokenChars - 1);
    assert.ok(longest.length <= limits.tokenChars);
    assert.equal(await problem(longest), undefined);
    assert.equal(await problem(await sized(limits.tokenChars + 1)), "malformed");
  });

  test("refuses a huge token without reading it", async () => {
    assert.equal(await problem("A".repeat(10_000_000)), "malformed");
  });

  test("refuses random texts without throwing", async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.tuple(fc.string(), fc.string()).map((p) => p.join(".")),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        assert.notEqual(await problem(text), undefined);
      }),
      { numRuns: 200 },
    );
  });

  test("refuses every change of one character", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom("A", "b", "-", ".", "="),
        async (at, char) => {
          fc.pre(token[at] !== char);
          const changed = `${token.slice(0, at)}${char}${token.slice(at + 1)}`;
          assert.notEqual(await problem(changed), undefined);
        },
      ),
      { numRuns: 200 },
    );
  });
});
