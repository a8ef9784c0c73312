import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { roles } from "./access.ts";
import { limits } from "./limits.ts";

const user = (id: string, role: number) => {
  return { type: "UserAdded", id, email: `${id}@example.org`, nickname: id, phone: null, role };
};
const created = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const home = [created, { type: "HubClaimed", id: "h", owner: "ann" }, user("ann", roles.OWNER_ADMIN)];
const issue = (of: string | null, isPanel = false) => {
  return { type: "ISSUE_LOCAL_KEY", user: of, name: "Tablet", isPanel };
};
const issuedTo = (id: string, of: string, expires: number) => {
  return { type: "LocalKeyIssued", id, user: of, name: "Tablet", expires };
};
const never = 10 ** 15;

const expires = testNow + limits.localKeyMs;

test("a key is issued to the owner unless a user is named", () => {
  const after = given([...home, user("bob", roles.GUEST)])
    .when(issue(null))
    .then([issuedTo("new-1", "ann", expires)]);
  assert.deepEqual(after.state("localKey", "new-1"), {
    id: "new-1",
    user: "ann",
    name: "Tablet",
    issuedAt: testNow,
    signedAt: testNow,
    expires,
  });
  given([...home, user("bob", roles.GUEST)])
    .when(issue("bob"))
    .then([issuedTo("new-1", "bob", expires)]);
});

test("no key is issued to nobody, to a stranger or to a revoked user", () => {
  given([created]).when(issue(null)).then({ rejected: "wrong-state" });
  given(home).when(issue("eve")).then({ rejected: "not-found", field: "userId" });
  given([...home, user("bob", roles.GUEST), { type: "UserRevoked", id: "bob" }])
    .when(issue("bob"))
    .then({ rejected: "not-found", field: "userId" });
});

test("a panel is a new user with the role of a guest", () => {
  const panel = { ...user("new-1", roles.GUEST), email: "", nickname: "Tablet" };
  given(home)
    .when(issue(null, true))
    .then([issuedTo("new-2", "new-1", expires), panel]);
});

test("a user has at most 32 keys, and an expired one makes room", () => {
  const keys = Array.from({ length: limits.localKeysPerUser }, (_, n) => issuedTo(`k${n}`, "ann", never));
  given([...home, ...keys])
    .when(issue("ann"))
    .then({ rejected: "wrong-state" });
  given([...home, ...keys.slice(1), issuedTo("old", "ann", 1)])
    .when(issue("ann"))
    .then([issuedTo("new-1", "ann", expires), { type: "LocalKeyExpired", id: "old" }]);
});

test("the hub has at most 500 keys", () => {
  const keys = Array.from({ length: limits.localKeys }, (_, n) => issuedTo(`k${n}`, `u${n}`, never));
  given([...home, ...keys])
    .when(issue("ann"))
    .then({ rejected: "wrong-state" });
});

test("a key is renewed in its last 30 days only", () => {
  const renew = { type: "RENEW_LOCAL_KEY", id: "k" };
  const until = testNow + limits.localKeyRenewMs;
  given(home).when(renew).then({ rejected: "not-found", field: "keyId" });
  given([...home, issuedTo("k", "ann", until + 1)])
    .when(renew)
    .then({ rejected: "wrong-state" });
  const after = given([...home, issuedTo("k", "ann", until)])
    .when(renew)
    .then([{ type: "LocalKeyRenewed", id: "k", expires }]);
  assert.equal(after.state("localKey", "k")?.signedAt, testNow);
});

test("a key is revoked once", () => {
  const revoke = { type: "REVOKE_LOCAL_KEY", id: "k" };
  const after = given([...home, issuedTo("k", "ann", never)])
    .when(revoke)
    .then([{ type: "LocalKeyRevoked", id: "k" }]);
  assert.equal(after.state("localKey", "k"), undefined);
  given(home).when(revoke).then({ rejected: "not-found", field: "keyId" });
});
