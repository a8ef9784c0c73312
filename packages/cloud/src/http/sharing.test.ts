import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { limits, roles } from "@ledge/model";
import { TestHub } from "../testdata/open-cloud.ts";
import { Served } from "./test-served.ts";

const { served, hub, owner } = await Served.withHub();
after(() => served.stop());

const { USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST, OWNER_ADMIN } = roles;

/** Invites somebody to the hub. */
function invite(token: string, email: unknown, role: unknown, hubId: unknown = hub.id) {
  return served.ui("POST", "/user/invite", { token, json: { email, role, hubId } });
}

/**
 * Invites somebody, who accepts.
 * @returns their token
 */
async function joined(email: string, role: number): Promise<string> {
  assert.equal((await invite(owner, email, role)).status, 200);
  return served.join(email, hub.id);
}

async function keysOf(token: string, prefix = "/ui/0.2"): Promise<Record<string, string>> {
  const { status, json } = await served.call("GET", `${prefix}/user/hubkeys`, { token });
  assert.equal(status, 200);
  return json as Record<string, string>;
}

function claimsOf(key: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

describe("access to a hub", () => {
  test("returns hub keys as a flat dictionary", async () => {
    const keys = await keysOf(owner);
    assert.deepEqual(Object.keys(keys), [hub.id]);
    const { hub_id, hub_name, email, role, owner: isOwner } = claimsOf(keys[hub.id] ?? "");
    assert.deepEqual(
      [hub_id, hub_name, email, role, isOwner],
      [hub.id, "Cabin", "owner@example.org", OWNER_ADMIN, true],
    );
  });

  test("handles hub ids that equal property names", async () => {
    const ids = ["rejected", "__proto__", "constructor"];
    for (const id of ids) {
      const token = await served.connect(await TestHub.make(id));
      await served.call("POST", "/hub/claim", { token, json: { email: "odd@example.org" } });
    }
    const keys = await keysOf(await served.logIn("odd@example.org"));
    assert.deepEqual(Object.keys(keys).toSorted(), ids.toSorted());
    for (const [id, key] of Object.entries(keys)) assert.equal(claimsOf(key)["hub_id"], id);
  });

  test("the link of an invitation accepts it once, by POST only", async () => {
    const email = "link@example.org";
    const sent = await invite(owner, email, GUEST);
    assert.deepEqual([sent.status, sent.json], [200, true]);
    const link = served.linkOf(email);
    const shown = await served.call("GET", link);
    assert.equal(shown.status, 200);
    assert.match(shown.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(shown.text, /<form method="post">/);
    const access = () =>
      served
        .ui("GET", `/user/authorization?hubId=${hub.id}`, { token: owner })
        .then(({ json }) =>
          (json as { email: string; role: number; owner: boolean; invitedUntil: number | null }[]).find(
            (one) => one.email === email,
          ),
        );
    assert.notEqual((await access())?.invitedUntil, null);
    assert.equal((await served.call("POST", `${link}x`)).status, 404);
    assert.equal((await served.call("POST", link.replace("/ui/", "/legacy/ui/"))).status, 404);
    assert.equal((await served.call("POST", link)).json, true);
    const { role, owner: isOwner, invitedUntil } = (await access()) ?? assert.fail();
    assert.deepEqual([role, isOwner, invitedUntil], [GUEST, false, null]);
    assert.equal((await served.call("POST", link)).status, 404);
    const page = await served.call("POST", link, { headers: { accept: "text/html" } });
    assert.match(page.text, /could not be accepted/);
    assert.deepEqual(Object.keys(await keysOf(await served.logIn(email))), [hub.id]);
  });

  test("accepts an invitation by hub id, changes a role and revokes access", async () => {
    const email = "guest@example.org";
    const token = await joined(email, GUEST);
    assert.equal(claimsOf((await keysOf(token))[hub.id] ?? "")["role"], GUEST);
    const again = await invite(owner, email, GUEST);
    assert.equal(again.status, 409);
    const set = await served.ui("POST", "/user/authorization", {
      token: owner,
      json: { hubId: hub.id, email, role: REMOTE_GUEST },
    });
    assert.deepEqual([set.status, set.json], [200, true]);
    assert.equal(claimsOf((await keysOf(token))[hub.id] ?? "")["role"], REMOTE_GUEST);
    const subject = { token: owner, json: { hubId: hub.id, email } };
    assert.equal((await served.ui("DELETE", "/user/authorization", subject)).json, true);
    assert.deepEqual(await keysOf(token), {});
    assert.equal((await served.ui("GET", `/user/authorization?hubId=${hub.id}`, { token })).status, 404);
    assert.equal((await served.ui("DELETE", "/user/authorization", subject)).status, 404);
  });

  test("a withdrawn or expired invitation cannot be accepted", async () => {
    const [back, late] = ["back@example.org", "late@example.org"];
    for (const email of [back, late]) assert.equal((await invite(owner, email, GUEST)).status, 200);
    const [linkBack, linkLate] = [back, late].map((email) => served.linkOf(email)) as [string, string];
    const subject = { token: owner, json: { hubId: hub.id, email: back } };
    assert.equal((await served.ui("DELETE", "/user/authorization", subject)).json, true);
    assert.equal((await served.call("POST", linkBack)).status, 404);
    await served.test.goForward(limits.invitationMs);
    assert.equal((await served.call("POST", linkLate)).status, 404);
    assert.deepEqual(await keysOf(await served.logIn(late)), {});
  });

  test("only administrators grant access; users may give up their own, except the owner", async () => {
    const admin = await joined("admin@example.org", USER_ADMIN);
    const user = await joined("user@example.org", IDENTIFIED_USER);
    const stranger = await served.logIn("stranger@example.org");
    assert.equal((await invite(user, "x1@example.org", GUEST)).status, 403);
    assert.equal((await invite(stranger, "x2@example.org", GUEST)).status, 404);
    assert.equal((await invite(admin, "x3@example.org", IDENTIFIED_USER)).status, 200);
    assert.equal((await invite(admin, "x4@example.org", OWNER_ADMIN)).status, 422);
    for (const { to } of served.mails) assert.doesNotMatch(to, /^x[124]@/);
    const set = (token: string, email: string, role: number) =>
      served.ui("POST", "/user/authorization", { token, json: { hubId: hub.id, email, role } });
    assert.equal((await set(admin, "owner@example.org", GUEST)).status, 403);
    assert.equal((await set(user, "admin@example.org", GUEST)).status, 403);
    assert.equal((await set(user, "user@example.org", USER_ADMIN)).status, 403);
    assert.equal((await set(owner, "user@example.org", OWNER_ADMIN)).status, 422);
    assert.equal((await set(stranger, "user@example.org", GUEST)).status, 404);
    const revoke = (token: string, email: string) =>
      served.ui("DELETE", "/user/authorization", { token, json: { hubId: hub.id, email } });
    assert.equal((await revoke(owner, "owner@example.org")).status, 403);
    assert.equal((await revoke(admin, "owner@example.org")).status, 403);
    assert.equal((await revoke(user, "admin@example.org")).status, 403);
    assert.equal((await revoke(user, "user@example.org")).json, true);
    assert.deepEqual(await keysOf(user), {});
    assert.equal((await served.ui("DELETE", "/user", { token: owner })).status, 403);
    assert.equal((await revoke(owner, "admin@example.org")).json, true);
    assert.equal((await invite(admin, "x5@example.org", GUEST)).status, 404);
  });

  test("answers strangers the same about members and others", async () => {
    const stranger = await served.logIn("curious@example.org");
    const ask = (hubId: string, email: string) =>
      served.ui("DELETE", "/user/authorization", { token: stranger, json: { hubId, email } });
    const answers = await Promise.all(
      ["owner@example.org", "no@example.org"].map((email) => ask(hub.id, email)),
    );
    const none = await ask("none", "owner@example.org");
    for (const { status, text } of answers)
      assert.deepEqual([status, text], [404, none.text.replaceAll("none", hub.id)]);
  });

  test("offers, withdraws and accepts ownership", async () => {
    const { hub: other, owner: giver } = await served.claimed("giver@example.org");
    const email = "heir@example.org";
    const offer = () =>
      served.ui("POST", "/user/ownership", { token: giver, json: { hubId: other.id, email } });
    assert.equal((await offer()).json, true);
    const first = served.linkOf(email);
    const withdrawn = await served.ui("DELETE", `/user/ownership?hubId=${other.id}`, { token: giver });
    assert.equal(withdrawn.json, true);
    assert.equal((await served.call("POST", first)).status, 404);
    assert.equal((await offer()).json, true);
    const link = served.linkOf(email);
    assert.equal((await served.call("GET", link)).status, 200);
    assert.equal(claimsOf((await keysOf(giver))[other.id] ?? "")["owner"], true);
    assert.equal((await served.call("POST", link)).json, true);
    assert.equal(claimsOf((await keysOf(giver))[other.id] ?? "")["role"], USER_ADMIN);
    const heir = await served.logIn(email);
    assert.equal(claimsOf((await keysOf(heir))[other.id] ?? "")["owner"], true);
    assert.equal((await offer()).status, 403);
  });

  test("limits the invitations to one person", async () => {
    const { hub: other, owner: eager } = await served.claimed("eager@example.org");
    const json = { hubId: other.id, email: "poor@example.org", role: GUEST };
    const from = served.newCaller();
    const send = (caller: string) => served.ui("POST", "/user/invite", { token: eager, json, from: caller });
    for (let i = 0; i < limits.invitationsPerEmail; i++) assert.equal((await send(from)).status, 200);
    assert.equal((await send(from)).status, 429);
    const { status, text } = await send(served.newCaller());
    assert.equal(status, 503, "she is invited, but gets no further mail");
    assert.match(text, /could not be sent/);
  });
});

describe("each site shows only its own hubs", () => {
  test("in keys, access and invitations", async () => {
    const { hub: old, owner: token } = await served.claimed("both@example.org", { version: "1.14.9.3" });
    const modern = await TestHub.make();
    const hubToken = await served.connect(modern, { version: "1.14.90.1" });
    await served.call("POST", "/hub/claim", { token: hubToken, json: { email: "both@example.org" } });
    assert.deepEqual(Object.keys(await keysOf(token)), [modern.id]);
    assert.deepEqual(Object.keys(await keysOf(token, "/legacy/ui/0.2")), [old.id]);
    for (const [prefix, shown, hidden] of [
      ["/ui/0.2", modern.id, old.id],
      ["/legacy/ui/0.2", old.id, modern.id],
    ] as const) {
      const ask = (hubId: string) =>
        served.call("GET", `${prefix}/user/authorization?hubId=${hubId}`, { token });
      assert.equal((await ask(shown)).status, 200);
      assert.equal((await ask(hidden)).status, 404);
      const json = { hubId: hidden, email: "both@example.org", role: GUEST };
      for (const [method, path] of [
        ["POST", "/user/invite"],
        ["POST", "/user/authorization"],
        ["DELETE", "/user/authorization"],
        ["POST", "/user/ownership"],
        ["DELETE", "/user/ownership"],
      ] as const)
        assert.equal((await served.call(method, prefix + path, { token, json })).status, 404, path);
    }
  });
});

describe("invalid fields", () => {
  const good = { hubId: "h", email: "a@example.org", role: GUEST };
  for (const [method, path] of [
    ["POST", "/user/authorization"],
    ["POST", "/user/invite"],
  ] as const) {
    for (const [field, values] of Object.entries({
      hubId: [undefined, null, 5, "", "h".repeat(limits.idChars + 1), ["h"], {}],
      email: [undefined, null, 5, "a".repeat(limits.emailChars + 1), ["a@example.org"]],
      role: [undefined, null, "2", 2.5, [2], true],
    })) {
      test(`${method} ${path} refuses an invalid ${field}`, async () => {
        for (const value of values) {
          const { status } = await served.ui(method, path, {
            token: owner,
            json: { ...good, [field]: value },
          });
          assert.equal(status, 422, JSON.stringify(value));
        }
      });
    }
  }

  test("refuses to grant invalid roles", async () => {
    for (const role of [-1, 0, 1, 3, 16, 64, 128, 256, 2 ** 40])
      assert.equal((await invite(owner, `role${role}@example.org`, role)).status, 422, String(role));
    assert.ok(served.mails.every(({ to }) => !to.startsWith("role")));
  });

  test("refuses invalid codes", async () => {
    for (const code of ["", ".", "x", `${hub.id}.`, `${hub.id}.x`, ".x", "a.b.c", "%00", "__proto__.x"])
      assert.equal((await served.ui("POST", `/user/invite/accept?code=${code}`)).status, 404, code);
    for (const query of ["", `?code=${"x".repeat(2000)}`])
      assert.equal((await served.ui("POST", `/user/invite/accept${query}`)).status, 422, query);
  });
});
