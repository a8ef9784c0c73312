import assert from "node:assert/strict";
import { test } from "node:test";
import { given, isWellFormed, testNow } from "@ledge/testkit";
import { roles } from "./access.ts";
import type { RenderContext } from "./decider.ts";
import { limits } from "./limits.ts";
import { HubUser, user } from "./user.ts";

const profile = { email: "ann@example.org", nickname: "Ann", phone: null };
const ann = { type: "UserAdded", id: "ann", ...profile, role: roles.IDENTIFIED_USER };
const owner = { ...ann, id: "owner", role: roles.OWNER_ADMIN };
const add = { type: "ADD_USER", id: "ann", ...profile, role: roles.IDENTIFIED_USER };
const revoked = { type: "UserRevoked", id: "ann" };
const noUser = { rejected: "not-found", message: "no user nobody", field: "id" } as const;

test("ADD_USER adds a HUB_USER whose rights begin at that time", () => {
  const shown = given().when(add).then([ann]).state("user", "ann");
  assert.deepEqual(shown, {
    type: "HUB_USER",
    id: "ann",
    user_info: {
      type: "USER_INFO",
      user: { type: "USER", uid: "ann", ...profile, defaults: false },
      role: roles.IDENTIFIED_USER,
    },
    revoked: false,
    connected: false,
    roleSince: testNow,
    forgotten: false,
    listed: null,
    keysFrom: 0,
    keysSince: 0,
    timestamp: testNow,
  });
  assert.ok(shown);
  const { roleSince: _, forgotten: __, listed: ___, keysFrom: ____, keysSince: _____, ...served } = shown;
  assert.deepEqual(user.delta?.render?.(shown, {} as RenderContext), served);
  assert.ok(isWellFormed(HubUser, served));
});

test("ADD_USER refuses an existing user and reinstates a revoked one", () => {
  given([ann]).when(add).then({ rejected: "wrong-state", message: "user ann exists already", field: "id" });
  const news = { ...add, role: roles.GUEST };
  const again = given([ann, revoked])
    .when(news)
    .then([{ ...ann, role: roles.GUEST }])
    .state("user", "ann");
  assert.deepEqual([again?.revoked, again?.roleSince], [false, testNow]);
});

for (const role of [0, 1, 3, 5, 16, 33, 64, 128, 255, -2, 2.5]) {
  test(`refuses to grant the role ${role}`, () => {
    const refusal = {
      rejected: "invalid",
      message: `role ${role} cannot be granted`,
      field: "role",
    } as const;
    given()
      .when({ ...add, role })
      .then(refusal);
    given([ann]).when({ type: "SET_USER_ROLE", id: "ann", role }).then(refusal);
  });
}

for (const role of [2, 4, 8, 32]) {
  test(`grants the role ${role}`, () => {
    given()
      .when({ ...add, role })
      .then([{ ...ann, role }]);
    const home = given([{ ...ann, role: role === 2 ? 8 : 2 }]);
    const shown = home
      .when({ type: "SET_USER_ROLE", id: "ann", role })
      .then([{ type: "UserRoleChanged", id: "ann", role }]);
    const { user_info, roleSince, timestamp } = shown.state("user", "ann") ?? {};
    assert.deepEqual([user_info?.role, roleSince, timestamp], [role, testNow, testNow]);
    given([{ ...ann, role }])
      .when({ type: "SET_USER_ROLE", id: "ann", role })
      .then([]);
  });
}

test("adds users up to the limit", () => {
  const users = (count: number) => Array.from({ length: count }, (_, index) => ({ ...ann, id: `u${index}` }));
  given(users(limits.users - 1))
    .when(add)
    .then([ann]);
  given(users(limits.users))
    .when(add)
    .then({ rejected: "invalid", message: `at most ${limits.users} users` });
  given([...users(limits.users - 1), ann, revoked])
    .when(add)
    .then([ann]);
});

test("refuses to change the owner's role or to revoke the owner", () => {
  given([owner])
    .when({ type: "SET_USER_ROLE", id: "owner", role: roles.GUEST })
    .then({ rejected: "wrong-state", message: "ownership moves by transfer only" });
  given([owner])
    .when({ type: "REVOKE_USER", id: "owner" })
    .then({ rejected: "wrong-state", message: "the owner cannot be revoked" });
});

test("REVOKE_USER revokes once, shows it and notes the time", () => {
  const home = given([ann, { type: "UserConnected", id: "ann" }]);
  const shown = home.when({ type: "REVOKE_USER", id: "ann" }).then([revoked]).state("user", "ann");
  assert.deepEqual([shown?.revoked, shown?.connected, shown?.roleSince], [true, false, testNow]);
  given([ann, revoked]).when({ type: "REVOKE_USER", id: "ann" }).then([]);
});

test("SET_USER_CONNECTED notes who comes and goes, and leaves rights alone", () => {
  const connect = (connected: boolean) => ({ type: "SET_USER_CONNECTED", id: "ann", connected });
  const came = given([ann])
    .when(connect(true))
    .then([{ type: "UserConnected", id: "ann" }])
    .state("user", "ann");
  assert.deepEqual([came?.connected, came?.roleSince, came?.timestamp], [true, 1, testNow]);
  const home = given([ann, { type: "UserConnected", id: "ann" }]);
  const went = home
    .when(connect(false))
    .then([{ type: "UserDisconnected", id: "ann" }])
    .state("user", "ann");
  assert.equal(went?.connected, false);
  home.when(connect(true)).then([]);
  given([ann]).when(connect(false)).then([]);
});

test("SET_USER_CONNECTED refuses a revoked user", () => {
  given([ann, revoked])
    .when({ type: "SET_USER_CONNECTED", id: "ann", connected: true })
    .then({ rejected: "wrong-state", message: "user ann is revoked" });
});

test("commands about unknown users are refused", () => {
  given([ann]).when({ type: "SET_USER_ROLE", id: "nobody", role: 8 }).then(noUser);
  given([ann]).when({ type: "REVOKE_USER", id: "nobody" }).then(noUser);
  given([ann]).when({ type: "SET_USER_CONNECTED", id: "nobody", connected: true }).then(noUser);
  assert.equal(given([{ type: "UserRevoked", id: "nobody" }]).state("user", "nobody"), undefined);
});

test("CMD_USER changes role and revocation together or not at all", () => {
  const change = { type: "CMD_USER", id: "ann", role: roles.GUEST, revoked: true };
  given([ann])
    .when(change)
    .then([{ type: "UserRoleChanged", id: "ann", role: roles.GUEST }, revoked]);
  given([owner])
    .when({ ...change, id: "owner" })
    .then({ rejected: "wrong-state", message: "ownership moves by transfer only" });
  given([{ ...ann, role: roles.GUEST }, revoked])
    .when(change)
    .then([]);
});

test("a reinstated user has new rights from then on, and the old profile", () => {
  const saved = { type: "UserProfileSaved", id: "ann", nickname: "A", phone: "1" };
  const home = given([ann, saved, revoked]).when({ type: "CMD_USER", id: "ann", revoked: false });
  const shown = home.then([{ type: "UserReinstated", id: "ann" }]).state("user", "ann");
  assert.deepEqual([shown?.revoked, shown?.roleSince], [false, testNow]);
  assert.deepEqual(shown?.user_info.user, {
    type: "USER",
    uid: "ann",
    email: profile.email,
    nickname: "A",
    phone: "1",
    defaults: true,
  });
});

const forgotten = { type: "UserForgotten", id: "ann" };
const forget = { type: "FORGET_USER", id: "ann" };

test("FORGET_USER revokes and blanks a user, and removes their clients", () => {
  const phone = { type: "UserProfileSaved", id: "ann", nickname: "Annie", phone: "+358 1" };
  const app = {
    type: "DeviceAdded",
    id: "app",
    name: "App",
    class: "UI_DEVICE",
    capabilities: ["DEVICE", "USER_PRESENCE"],
    manufacturer: null,
    model: null,
    extras: { uuid: "client", awayThreshold: 1 },
  };
  const here = { type: "DeviceReported", id: "app", attributes: { session: true, user: "ann" }, at: 1 };
  const spoken = { type: "UserLanguageSet", id: "ann", language: "fi" };
  const after = given([owner, ann, phone, spoken, app, here])
    .when(forget)
    .then([revoked, forgotten, { type: "DeviceRemoved", id: "app", groups: [] }]);
  const left = after.state("user", "ann");
  const { email, nickname, phone: number, uid, language } = left?.user_info.user ?? {};
  assert.deepEqual([uid, email, nickname, number, language], ["ann", "", "", null, null]);
  assert.deepEqual([left?.revoked, left?.forgotten], [true, true]);
  assert.equal(after.state("device", "app"), undefined);
});

test("FORGET_USER also forgets revoked users, once; never the owner or an unknown user", () => {
  given([ann, revoked]).when(forget).then([forgotten]);
  given([ann, revoked, forgotten]).when(forget).then([]);
  given([owner])
    .when({ ...forget, id: "owner" })
    .then({ rejected: "wrong-state" });
  given()
    .when({ ...forget, id: "nobody" })
    .then(noUser);
});

test("a forgotten user can only be added again, and only in a later commit", () => {
  const gone = [ann, revoked, forgotten];
  for (const change of [
    { type: "CMD_USER", id: "ann", revoked: false },
    { type: "SET_USER_ROLE", id: "ann", role: roles.GUEST },
    { type: "CMD_USER_PROFILE", id: "ann", nickname: "Ann" },
  ]) {
    given(gone)
      .when(change)
      .then({ rejected: "wrong-state", message: "user ann was forgotten", field: "id" });
  }
  given(gone).when(add, gone.length).then({ rejected: "wrong-state", field: "id" });
  const again = given(gone).when(add).then([ann]).state("user", "ann");
  assert.deepEqual(
    [again?.revoked, again?.forgotten, again?.user_info.user.email],
    [false, false, ann.email],
  );
});
