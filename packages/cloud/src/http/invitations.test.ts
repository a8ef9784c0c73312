// Nobody becomes a member of a hub without agreeing, and members see how they became one.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { limits, roles } from "@ledge/model";
import { TestHub } from "../testdata/open-cloud.ts";
import { Served } from "./test-served.ts";

const { served, hub, owner } = await Served.withHub();
after(() => served.stop());

async function invite(email: string, role: number = roles.GUEST): Promise<void> {
  const { status } = await served.ui("POST", "/user/invite", {
    token: owner,
    json: { hubId: hub.id, email, role },
  });
  assert.equal(status, 200);
}

const keysOf = async (token: string): Promise<string[]> =>
  Object.keys((await served.ui("GET", "/user/hubkeys", { token })).json as object);
const invited = async (token: string): Promise<Record<string, unknown>[]> =>
  (await served.ui("GET", "/user/invitation", { token })).json as Record<string, unknown>[];
const about = (method: string, token: string, hubId: string) =>
  served.ui(method, "/user/invitation", { token, json: { hubId } });

test("logging in accepts no invitation, neither by mail nor with a fixed password", async () => {
  const email = "bea@example.org";
  await invite(email);
  const token = await served.logIn(email);
  assert.deepEqual(await keysOf(token), []);
  const password = "correct horse battery";
  await served.ui("PUT", "/user/password", { token, json: { password } });
  const { text } = await served.ui("POST", "/user/login", { json: { email, password } });
  assert.deepEqual(await keysOf(text), []);
  const listed = await served.ui("GET", `/user/authorization?hubId=${hub.id}`, { token: owner });
  const bea = (listed.json as { email: string; invitedUntil: number | null }[]).find(
    (one) => one.email === email,
  );
  assert.ok((bea?.invitedUntil ?? 0) > 0);
});

test("an invited user sees who invites to which hub, and accepts once by hub id", async () => {
  const email = "cid@example.org";
  await invite(email, roles.REMOTE_GUEST);
  const token = await served.logIn(email);
  const [{ expires, ...shown } = assert.fail("no invitation"), ...more] = await invited(token);
  assert.deepEqual(shown, {
    hubId: hub.id,
    name: "Cabin",
    role: roles.REMOTE_GUEST,
    by: "owner@example.org",
  });
  assert.ok(Number(expires) > 0);
  assert.deepEqual(more, []);
  const accepted = await about("POST", token, hub.id);
  assert.deepEqual([accepted.status, accepted.json], [200, true]);
  assert.deepEqual([await keysOf(token), await invited(token)], [[hub.id], []]);
  assert.equal((await about("POST", token, hub.id)).status, 404);
});

test("only the invited user can decline or accept an invitation", async () => {
  const email = "dot@example.org";
  await invite(email);
  const link = served.linkOf(email);
  const [token, stranger] = [await served.logIn(email), await served.logIn("stranger@example.org")];
  assert.deepEqual(await invited(stranger), []);
  for (const method of ["POST", "DELETE"]) {
    assert.equal((await about(method, stranger, hub.id)).status, 404);
    assert.equal((await about(method, token, "none")).status, 404);
    assert.equal((await served.ui(method, "/user/invitation", { json: { hubId: hub.id } })).status, 401);
  }
  assert.equal((await about("DELETE", token, hub.id)).json, true);
  assert.deepEqual(await invited(token), []);
  assert.equal((await about("POST", token, hub.id)).status, 404);
  assert.equal((await served.call("POST", link)).status, 404);
  await invite(email);
  assert.equal((await about("POST", token, hub.id)).json, true);
  assert.equal((await about("DELETE", token, hub.id)).status, 404, "members use another call to leave");
  assert.deepEqual(await keysOf(token), [hub.id]);
});

test("a program that follows the links of a mail accepts nothing", async () => {
  const email = "eve@example.org";
  await invite(email);
  const link = served.linkOf(email);
  const token = await served.logIn(email);
  for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
    await served.call(method, link, { headers: { accept: "text/html" } });
    assert.deepEqual(await keysOf(token), [], method);
  }
  assert.equal((await served.call("POST", link)).json, true);
  assert.deepEqual(await keysOf(token), [hub.id]);
});

test("neither shows nor accepts an expired invitation", async () => {
  const email = "fin@example.org";
  await invite(email);
  const token = await served.logIn(email);
  await served.test.goForward(limits.invitationMs);
  assert.deepEqual(await invited(token), []);
  assert.equal((await about("POST", token, hub.id)).status, 404);
});

test("a named owner sees which hub did it, when and from where, and can leave it", async () => {
  const email = "gil@example.org";
  const from = "203.0.113.9";
  const hostile = await TestHub.make();
  const hubToken = await served.connect(hostile, { name: "Pay at http://evil.example \u202Enow" }, from);
  const began = served.test.cloud.kernel.now();
  await served.call("POST", "/hub/claim", { json: { email }, token: hubToken, from });
  assert.match(served.mailTo(email).text, /from the network address 203\.0\.113\.9\b/);
  const token = await served.logIn(email);
  const hubsOf = async (prefix = "/ui/0.2") =>
    (await served.call("GET", `${prefix}/user/hubs`, { token })).json as Record<string, unknown>[];
  const [{ since, claimed, ...shown } = assert.fail("no hub")] = await hubsOf();
  const { OWNER_ADMIN: role } = roles;
  assert.deepEqual(shown, {
    hubId: hostile.id,
    name: "Pay at now",
    version: "1.14.15.1",
    role,
    owner: true,
    clone: null,
  });
  const { at, ...where } = claimed as { at: number; from: string };
  assert.deepEqual([where, since], [{ from }, at]);
  assert.ok(at >= began);
  assert.deepEqual(await hubsOf("/legacy/ui/0.2"), []);
  assert.equal((await served.ui("DELETE", `/user/hub?hubId=${hostile.id}`, { token })).json, true);
  assert.deepEqual(await hubsOf(), []);
});

test("does not call a hub claimed that was given or shared", async () => {
  const { hub: given, owner: giver } = await served.claimed("hal@example.org");
  const heir = await served.logIn("ida@example.org");
  const json = { hubId: given.id, email: "ida@example.org" };
  assert.equal((await served.ui("POST", "/user/ownership", { token: giver, json })).json, true);
  assert.equal((await served.call("POST", served.linkOf("ida@example.org"))).json, true);
  for (const [token, isOwner] of [
    [giver, false],
    [heir, true],
  ] as const) {
    const { json: list } = await served.ui("GET", "/user/hubs", { token });
    const [{ owner: owns, claimed } = assert.fail("no hub")] = list as { owner: boolean; claimed: unknown }[];
    assert.deepEqual([owns, claimed], [isOwner, null]);
  }
});
