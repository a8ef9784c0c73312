import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { crowdedWorld } from "@ledge/testkit";
import { account } from "./account.ts";
import { accountAdded, givenCloud, hubRegistered } from "./test-given.ts";

const ada = accountAdded("ada");
const taken = { rejected: "wrong-state", field: "email" } as const;

test("refuses a second account for an address in any spelling", () => {
  const add = (email: string, id = "new") => ({ type: "ADD_ACCOUNT", id, email });
  givenCloud()
    .when(add("Eve.X@example.org"))
    .then([{ type: "AccountAdded", id: "new", email: "Eve.X@example.org", nickname: "Eve.X" }]);
  for (const email of ["ada@example.org", "Ada@Example.ORG", "ADA@EXAMPLE.ORG"])
    givenCloud([ada]).when(add(email)).then(taken);
  givenCloud([ada]).when(add("other@example.org", "ada")).then(taken);
  givenCloud([ada, { type: "AccountForgotten", id: "ada" }])
    .when(add("ada@example.org"))
    .then([{ ...ada, id: "new" }]);
});

test("limits the number of accounts and the length of a nickname", () => {
  const add = { type: "ADD_ACCOUNT", id: "x", email: `${"x".repeat(200)}@example.org` } as const;
  const decide = (count: number) =>
    account.decide(add, undefined, crowdedWorld(count)) as {
      rejected?: string;
      0?: { nickname: string };
    };
  assert.equal(decide(limits.accounts - 1)[0]?.nickname.length, limits.nameChars);
  assert.equal(decide(limits.accounts).rejected, "wrong-state");
});

test("saves a profile and keeps fields that are left out", () => {
  const save = (nickname: string | null, phone: string | null) => {
    return { type: "SAVE_PROFILE", id: "ada", nickname, phone };
  };
  const saved = (nickname: string, phone: string | null) => {
    return { type: "ProfileSaved", id: "ada", nickname, phone };
  };
  givenCloud([ada])
    .when(save("Countess", null))
    .then([saved("Countess", null)]);
  givenCloud([ada])
    .when(save(null, " +44 1 "))
    .then([saved("ada", "+44 1")]);
  givenCloud([ada, saved("ada", "+44 1")])
    .when(save(null, ""))
    .then([saved("ada", null)]);
  givenCloud([ada]).when(save("ada", null)).then([]);
  givenCloud().when(save("x", null)).then({ rejected: "not-found", field: "id" });
});

test("sets and removes a fixed password, and proves an address once", () => {
  const set = (passwordHash: string | null) => ({ type: "SET_PASSWORD", id: "ada", passwordHash });
  const after = givenCloud([ada])
    .when(set("hash"))
    .then([{ type: "PasswordSet", id: "ada", passwordHash: "hash" }]);
  assert.equal(after.state("account", "ada")?.secrets.passwordHash, "hash");
  const removed = givenCloud([ada, { type: "PasswordSet", id: "ada", passwordHash: "hash" }])
    .when(set(null))
    .then([{ type: "PasswordRemoved", id: "ada" }]);
  assert.deepEqual(removed.state("account", "ada")?.secrets, {});
  givenCloud([ada]).when(set(null)).then([]);
  const proven = { type: "AccountProven", id: "ada" };
  givenCloud([ada]).when({ type: "PROVE_ACCOUNT", id: "ada" }).then([proven]);
  givenCloud([ada, proven]).when({ type: "PROVE_ACCOUNT", id: "ada" }).then([]);
});

test("forgets only an account that no hub lists, and then refuses commands for it", () => {
  const forget = { type: "FORGET_ACCOUNT", id: "ada" };
  const hub = [
    ada,
    accountAdded("bob"),
    ...hubRegistered("hub"),
    { type: "HubClaimed", id: "hub", owner: "bob" },
  ];
  const invited = {
    type: "UserInvited",
    id: "hub",
    user: "ada",
    role: 2,
    by: "bob",
    codeDigest: "x",
    expires: 9,
  };
  const joined = { type: "InvitationAccepted", id: "hub", user: "ada", role: 2 };
  const offered = { type: "OwnershipOffered", id: "hub", to: "ada", codeDigest: "x", expires: 9 };
  for (const listed of [invited, joined, offered])
    givenCloud([...hub, listed])
      .when(forget)
      .then({ rejected: "wrong-state" });
  const after = givenCloud([...hub, joined, { type: "AccessRevoked", id: "hub", user: "ada" }])
    .when(forget)
    .then([{ type: "AccountForgotten", id: "ada" }]);
  const { email, nickname, forgotten } = after.state("account", "ada") ?? assert.fail();
  assert.deepEqual([email, nickname, forgotten], ["", "", true]);
  const gone = [ada, { type: "AccountForgotten", id: "ada" }];
  for (const command of [forget, { type: "PROVE_ACCOUNT", id: "ada" }])
    givenCloud(gone).when(command).then({ rejected: "not-found", field: "id" });
  givenCloud(gone)
    .when({ type: "START_SESSION", id: "ada", jti: "j" })
    .then({ rejected: "not-found", field: "id" });
});
