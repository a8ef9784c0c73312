import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { roles } from "./access.ts";

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, GUEST } = roles;
const key = { kid: "k1", x: "AAAA" };
const created = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const trusted = { type: "CloudTrusted", id: "h", url: "https://a.example", issuer: "a", keys: [key] };
const claimed = { type: "HubClaimed", id: "h", owner: "ann" };
const taken = (seq: number) => ({ type: "AuthorizationsTaken", id: "h", seq });
const one = (id: string, role: number, granted = 1) => {
  return { id, email: `${id}@example.org`, nickname: id, role, granted };
};
const added = (id: string, role: number) => {
  const { granted: _, ...user } = one(id, role);
  return { type: "UserAdded", ...user, phone: null };
};
const listed = (id: string, role: number | null, granted = role === null ? 0 : 1) => {
  return { type: "UserListed", id, role, granted };
};
const changed = (id: string, role: number) => ({ type: "UserRoleChanged", id, role });
const take = (seq: number, ...users: object[]) => ({ type: "TAKE_AUTHORIZATIONS", id: "h", seq, users });
const trust = (url: string, ...keys: object[]) => ({ type: "TRUST_CLOUD", id: "h", url, issuer: "a", keys });

const [ann, bob] = [one("ann", OWNER_ADMIN), one("bob", GUEST)];
/** After lists from the cloud: Ann owns the hub, Bob is a guest. */
const home = [
  created,
  trusted,
  claimed,
  added("ann", OWNER_ADMIN),
  listed("ann", OWNER_ADMIN),
  added("bob", GUEST),
  listed("bob", GUEST),
  taken(2),
];

test("TRUST_CLOUD notes a cloud once, and its keys whenever they change", () => {
  const [second, other] = [{ kid: "k2", x: "BBBB" }, "https://b.example"];
  const after = given([created]).when(trust("https://a.example", key)).then([trusted]);
  const cloud = { url: "https://a.example", issuer: "a", keys: [key], seq: 0 };
  assert.deepEqual(after.state("hub", "h")?.cloud, cloud);
  given([created, trusted]).when(trust("https://a.example", key)).then([]);
  const rotated = given(home)
    .when(trust("https://a.example", key, second))
    .then([{ ...trusted, keys: [key, second] }]);
  assert.equal(rotated.state("hub", "h")?.cloud?.seq, 2);
  const moved = given(home)
    .when(trust(other, key))
    .then([listed("ann", null), listed("bob", null), { ...trusted, url: other }]);
  assert.equal(moved.state("hub", "h")?.cloud?.seq, 0);
  assert.equal(moved.state("user", "bob")?.revoked, false, "a new cloud revokes nobody's access");
});

test("a cloud that shows none of its old keys is a new one, whose lists begin again", () => {
  const [other, both] = [
    { kid: "k2", x: "BBBB" },
    { kid: "k1", x: "CCCC" },
  ];
  for (const fresh of [other, both]) {
    const begun = given(home)
      .when(trust("https://a.example", fresh))
      .then([listed("ann", null), listed("bob", null), { ...trusted, keys: [fresh] }]);
    assert.equal(begun.state("hub", "h")?.cloud?.seq, 0);
  }
});

test("the first list claims a hub without an owner", () => {
  const after = given([created, trusted])
    .when(take(2, ann, bob))
    .then([
      claimed,
      added("ann", OWNER_ADMIN),
      listed("ann", OWNER_ADMIN),
      added("bob", GUEST),
      listed("bob", GUEST),
      taken(2),
    ]);
  const { state, owner } = after.state("hub", "h") ?? {};
  assert.deepEqual([state, owner], ["claimed", "ann"]);
});

test("a list applies only its changes; repeating it changes nothing", () => {
  given(home)
    .when(take(2, ann, bob))
    .then([]);
  given(home)
    .when(take(3, ann, one("bob", USER_ADMIN)))
    .then([changed("bob", USER_ADMIN), listed("bob", USER_ADMIN), taken(3)]);
  given(home)
    .when(take(4, ann))
    .then([listed("bob", null), { type: "UserRevoked", id: "bob" }, taken(4)]);
});

test("a change made at the hub stays until the cloud changes the same user", () => {
  const revoked = { type: "UserRevoked", id: "bob" };
  given([...home, revoked])
    .when(take(3, ann, bob, one("cy", GUEST)))
    .then([added("cy", GUEST), listed("cy", GUEST), taken(3)]);
  given([...home, revoked])
    .when(take(3, ann))
    .then([listed("bob", null), taken(3)]);
  given([...home, revoked, listed("bob", null), taken(3)])
    .when(take(4, ann, one("bob", IDENTIFIED_USER)))
    .then([
      { type: "UserReinstated", id: "bob" },
      changed("bob", IDENTIFIED_USER),
      listed("bob", IDENTIFIED_USER),
      taken(4),
    ]);
  const local = [added("dan", USER_ADMIN), changed("bob", USER_ADMIN)];
  given([...home, ...local])
    .when(take(3, ann, bob))
    .then([taken(3)]);
});

test("only the list moves ownership", () => {
  given(home)
    .when(take(3, one("ann", USER_ADMIN), one("bob", OWNER_ADMIN)))
    .then([
      { type: "OwnershipTransferred", id: "h", owner: "bob" },
      changed("ann", USER_ADMIN),
      listed("ann", USER_ADMIN),
      changed("bob", OWNER_ADMIN),
      listed("bob", OWNER_ADMIN),
      taken(3),
    ]);
  given(home)
    .when(take(3, one("bob", OWNER_ADMIN)))
    .then([
      { type: "OwnershipTransferred", id: "h", owner: "bob" },
      changed("ann", USER_ADMIN),
      changed("bob", OWNER_ADMIN),
      listed("bob", OWNER_ADMIN),
      listed("ann", null),
      { type: "UserRevoked", id: "ann" },
      taken(3),
    ]);
  const here = [
    { type: "OwnershipTransferred", id: "h", owner: "bob" },
    changed("ann", USER_ADMIN),
    changed("bob", OWNER_ADMIN),
  ];
  given([...home, ...here])
    .when(take(3, ann, one("bob", USER_ADMIN)))
    .then([listed("bob", USER_ADMIN), taken(3)]);
  given(home)
    .when(take(3))
    .then([listed("ann", null), listed("bob", null), { type: "UserRevoked", id: "bob" }, taken(3)]);
});

test("a list replaces the local owner by the account with the same email", () => {
  const local = { ...added("local-1", OWNER_ADMIN), email: "Ann@example.org" };
  given([created, trusted, { ...claimed, owner: "local-1" }, local])
    .when(take(1, ann))
    .then([
      { type: "OwnershipTransferred", id: "h", owner: "ann" },
      changed("local-1", USER_ADMIN),
      { type: "UserRevoked", id: "local-1" },
      added("ann", OWNER_ADMIN),
      listed("ann", OWNER_ADMIN),
      taken(1),
    ]);
});

test("refuses an old list, and any list for a hub without a cloud", () => {
  given(home)
    .when(take(1, ann))
    .then({ rejected: "wrong-state", message: "the hub already has list number 2" });
  given([created])
    .when(take(1, ann))
    .then({ rejected: "wrong-state", message: "this hub belongs to no cloud" });
});

test("a user who was forgotten can come back as a new one once that is on disk", () => {
  const forgotten = [
    { type: "UserRevoked", id: "bob" },
    { type: "UserForgotten", id: "bob" },
  ];
  given([...home, ...forgotten])
    .when(take(3, ann))
    .then([listed("bob", null), taken(3)]);
  given([...home, ...forgotten, listed("bob", null)])
    .when(take(3, ann, bob))
    .then([added("bob", GUEST), listed("bob", GUEST), taken(3)]);
});

test("a new grant of the same role counts as a new grant", () => {
  const again = given(home)
    .when(take(5, ann, one("bob", GUEST, 4)))
    .then([listed("bob", GUEST, 4), taken(5)]);
  assert.equal(again.state("user", "bob")?.keysFrom, 4);
  given([...home, { type: "UserRevoked", id: "bob" }])
    .when(take(5, ann, one("bob", GUEST, 4)))
    .then([{ type: "UserReinstated", id: "bob" }, listed("bob", GUEST, 4), taken(5)]);
});

test("a first grant number from a cloud that sent none before is not a new grant", () => {
  const before = { type: "UserListed", id: "bob", role: GUEST };
  given([...home, before, { type: "UserRevoked", id: "bob" }])
    .when(take(5, ann, one("bob", GUEST, 4)))
    .then([listed("bob", GUEST, 4), taken(5)]);
});

test("a user reinstated at the hub cannot use keys from before", () => {
  const revoked = { type: "UserRevoked", id: "bob" };
  const after = given([...home, revoked])
    .when({ type: "CMD_USER", id: "bob", revoked: false })
    .then([{ type: "UserReinstated", id: "bob" }]);
  const { keysSince = 0, timestamp } = after.state("user", "bob") ?? {};
  assert.ok(keysSince > 0 && keysSince === timestamp);
});

test("a first grant number does not bring back an owner whom the hub has replaced and revoked", () => {
  const before = [...home.filter((event) => event !== home[4]), listed("ann", OWNER_ADMIN, 0)];
  const moved = [
    { type: "OwnershipTransferred", id: "h", owner: "bob" },
    { type: "UserRevoked", id: "ann" },
  ];
  given([...before, ...moved])
    .when(take(3, one("ann", OWNER_ADMIN, 7), bob))
    .then([listed("ann", OWNER_ADMIN, 7), taken(3)]);
});
