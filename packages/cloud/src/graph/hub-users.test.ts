import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

interface User {
  readonly userId: string;
  readonly email: string;
  readonly role: string;
  readonly invitedUntil: number | null;
}

const send = (
  token: string,
  type: string,
  fields: object = {},
): Promise<Awaited<ReturnType<Served["graph"]>>> => served.graph(token, { type, hubId: hub.id, ...fields });
const codeOf = async (token: string, type: string, fields: object = {}): Promise<string | undefined> =>
  (await send(token, type, fields)).error?.code;
const users = async (token: string): Promise<readonly User[]> =>
  (await send(token, "ListUsersHubQuery"))["users"] as User[];

/** Invites an address through Graph and accepts. @returns the new user's token */
async function joined(email: string, role: string): Promise<string> {
  assert.equal(await codeOf(owner, "InviteUserHubCommand", { email, role }), undefined);
  return served.join(email, hub.id);
}

test("an invitation through Graph reaches its address by mail, and is listed until it is accepted", async () => {
  const email = "invitee@example.org";
  assert.equal(await codeOf(owner, "InviteUserHubCommand", { email, role: "USER" }), undefined);
  assert.match(served.mailTo(email).subject, /Invitation/);
  const pending = (await users(owner)).find((user) => user.email === email) ?? assert.fail();
  assert.equal(pending.role, "USER");
  assert.ok((pending.invitedUntil ?? 0) > served.test.clock.wall());
  const token = await served.join(email, hub.id);
  const [user, ...more] = await users(token);
  assert.deepEqual([user?.email, user?.invitedUntil, more], [email, null, []]);
});

test("roles are changed and revoked by the rules of granting", async () => {
  const admin = await joined("admin@example.org", "ADMIN");
  const user = await joined("user@example.org", "USER");
  const idOf = async (email: string): Promise<string> =>
    (await users(owner)).find((each) => each.email === email)?.userId ?? assert.fail(email);
  const [ownerId, adminId, userId] = await Promise.all(
    ["owner@example.org", "admin@example.org", "user@example.org"].map(idOf),
  );
  assert.equal(await codeOf(admin, "SetUserRoleHubCommand", { userId, role: "REMOTEGUEST" }), undefined);
  assert.equal((await send(admin, "GetUserHubQuery", { userId }))["user"] !== undefined, true);
  const seen = (await send(user, "GetUserHubQuery", { userId }))["user"] as User;
  assert.equal(seen.role, "REMOTEGUEST");
  assert.equal(await codeOf(user, "GetUserHubQuery", { userId: adminId }), "E_NOT_FOUND");
  assert.equal(await codeOf(user, "SetUserRoleHubCommand", { userId, role: "ADMIN" }), "E_FORBIDDEN");
  assert.equal(
    await codeOf(admin, "SetUserRoleHubCommand", { userId: ownerId, role: "USER" }),
    "E_FORBIDDEN",
  );
  for (const role of ["OWNER", "ANONYMOUS"])
    assert.equal(await codeOf(owner, "SetUserRoleHubCommand", { userId, role }), "E_INVALID", role);
  assert.equal(await codeOf(owner, "SetUserRoleHubCommand", { userId: "none", role: "USER" }), "E_NOT_FOUND");
  assert.equal(await codeOf(admin, "RevokeUserHubCommand", { userId: ownerId }), "E_FORBIDDEN");
  assert.equal(await codeOf(user, "RevokeUserHubCommand", { userId: adminId }), "E_FORBIDDEN");
  assert.equal(await codeOf(admin, "RevokeUserHubCommand", { userId }), undefined);
  assert.equal(await codeOf(user, "GetHubQuery"), "E_NOT_FOUND");
});

test("a user may leave, and an owner may not", async () => {
  const leaver = await joined("leaver@example.org", "USER");
  const [{ userId } = assert.fail()] = await users(leaver);
  assert.equal(await codeOf(leaver, "RevokeUserHubCommand", { userId }), undefined);
  assert.equal(await codeOf(leaver, "ListUsersHubQuery"), "E_NOT_FOUND");
  const own = (await users(owner)).find(({ role }) => role === "OWNER") ?? assert.fail();
  assert.equal(await codeOf(owner, "RevokeUserHubCommand", { userId: own.userId }), "E_FORBIDDEN");
});

test("a wrong address or role is named, and a mail that cannot be sent says so", async () => {
  for (const fields of [{ role: "USER" }, { email: "a@b.example", role: 8 }, { email: 7, role: "USER" }])
    assert.equal(await codeOf(owner, "InviteUserHubCommand", fields), "E_INVALID");
  assert.equal(
    await codeOf(owner, "InviteUserHubCommand", { email: "no address", role: "USER" }),
    "E_INVALID",
  );
  served.isMailDown = true;
  const fields = { email: "unsent@example.org", role: "USER" };
  assert.equal(await codeOf(owner, "InviteUserHubCommand", fields), "E_BUSY");
  served.isMailDown = false;
});

test("invitations of one address count together with those over HTTP", async () => {
  const email = "often@example.org";
  const from = served.newCaller();
  const headers = { "x-forwarded-for": from };
  const json = { command: { type: "InviteUserHubCommand", hubId: hub.id, email, role: "USER" } };
  for (let sent = 1; sent < limits.invitationsPerEmail; sent++)
    await served.call("PUT", "/graph/command", { token: owner, json, headers });
  const invite = { hubId: hub.id, email, role: 8 };
  assert.equal((await served.ui("POST", "/user/invite", { token: owner, json: invite, from })).status, 200);
  const { json: said } = await served.call("PUT", "/graph/command", { token: owner, json, headers });
  assert.equal((said as { result: { error?: { code: string } } }).result.error?.code, "E_LIMIT");
});
