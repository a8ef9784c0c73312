import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { crowdedWorld, testNow } from "@ledge/testkit";
import { registration } from "./registration.ts";
import { longestLifeMs, publishedKeys, type SigningKey, signingKey, signingKeyAt } from "./signing-key.ts";
import { accountAdded, givenCloud } from "./test-given.ts";

const identity = { kty: "OKP", crv: "Ed25519", x: "a".repeat(43) } as const;
const hub = { id: "hub", name: "Cabin", version: "1.14.15.1", features: [1, 2] } as const;
const register = { type: "REGISTER_HUB", ...hub, identity, generation: 0, isOwnId: false };
const registered = { type: "HubRegistered", id: "hub", identity };
const seen = { type: "HubSeen", id: "hub", name: "Cabin", release: "1.14.15.1", features: [1, 2] };

test("binds a hub id to the first key forever", () => {
  givenCloud().when(register).then([registered, seen]);
  const after = givenCloud([registered, seen])
    .when({ ...register, version: "1.14.15.2" })
    .then([{ ...seen, release: "1.14.15.2" }]);
  assert.equal(after.state("registration", "hub")?.version, "1.14.15.2");
  givenCloud([registered, seen])
    .when({ ...register, identity: { ...identity, x: "b".repeat(43) } })
    .then({ rejected: "forbidden" });
});

test("compares only the public members of a key and stores nothing else of it", () => {
  const more = { ...identity, d: "secret", kid: "x" };
  givenCloud()
    .when({ ...register, identity: more })
    .then([registered, seen]);
});

test("notes a connected hub once a day, and changes at once", () => {
  const now = 2 + limits.hubSeenMs;
  givenCloud([registered, seen])
    .when(register, now - 1)
    .then([]);
  givenCloud([registered, seen]).when(register, now).then([seen]);
  for (const change of [{ name: null }, { features: [1] }, { features: [2, 1] }])
    givenCloud([registered, seen])
      .when({ ...register, ...change }, 3)
      .then([{ ...seen, ...change }]);
});

test("notes the newest generation and ignores reports of an older one", () => {
  const opened = (generation: number) => ({ type: "GenerationSeen", id: "hub", generation }) as const;
  givenCloud()
    .when({ ...register, generation: 7 })
    .then([registered, opened(7), seen]);
  const newer = givenCloud([registered, seen, opened(7)]);
  newer.when({ ...register, generation: 7, name: null }).then([{ ...seen, name: null }]);
  newer.when({ ...register, generation: 6, name: null }).then([]);
  const shown = newer.when({ ...register, generation: 8 }, 3).then([opened(8)]);
  assert.equal(shown.state("registration", "hub")?.generation, 8);
  newer
    .when({ ...register, generation: 9, identity: { ...identity, x: "b".repeat(43) } })
    .then({ rejected: "forbidden" });
});

test("notes a clone once, until it is gone", () => {
  const note = { type: "NOTE_CLONE", id: "hub", kind: "older" };
  const clone = { type: "CloneSeen", id: "hub", clone: "older" } as const;
  const gone = { type: "CloneGone", id: "hub" };
  const shown = givenCloud([registered, seen]).when(note).then([clone]);
  assert.equal(shown.state("registration", "hub")?.clone?.kind, "older");
  const noted = givenCloud([registered, seen, clone]);
  noted.when(note).then([]);
  noted.when({ ...note, kind: "same" }).then([{ ...clone, clone: "same" }]);
  const over = noted.when({ type: "NOTE_CLONE_GONE", id: "hub" }).then([gone]);
  assert.equal(over.state("registration", "hub")?.clone, null);
  givenCloud([registered, seen]).when({ type: "NOTE_CLONE_GONE", id: "hub" }).then([]);
  givenCloud().when(note).then([]);
});

test("limits the number of hubs", () => {
  const decide = (count: number) => registration.decide(register as never, undefined, crowdedWorld(count));
  assert.deepEqual(decide(limits.hubs - 1), [registered, seen]);
  assert.equal((decide(limits.hubs) as { rejected?: string }).rejected, "wrong-state");
});

test("drops the unclaimed hub seen longest ago when there is no room", () => {
  const one = (id: string, at: number) => [id, { id, identity, seen: at }] as const;
  const hubs = [one("owned", 1), one("late", 9), one("early", 5)];
  const world = {
    ...crowdedWorld(limits.hubs),
    all: () => hubs[Symbol.iterator](),
    get: (kind: string, id: string) =>
      kind === "authorizations" && id === "owned" ? { users: [{ user: "ada" }] } : undefined,
  };
  const fresh = { ...register, isOwnId: true } as never;
  assert.deepEqual(registration.decide(fresh, undefined, world as never), [
    { type: "HubRemoved", id: "early" },
    registered,
    seen,
  ]);
});

test("removes a hub only without an owner; then its id is free for any key", () => {
  const claimed = [accountAdded("ada"), registered, seen, { type: "HubClaimed", id: "hub", owner: "ada" }];
  const remove = { type: "REMOVE_HUB", id: "hub" };
  givenCloud(claimed).when(remove).then({ rejected: "wrong-state" });
  const released = [...claimed, { type: "HubReleased", id: "hub" }];
  givenCloud(released)
    .when(remove)
    .then([{ type: "HubRemoved", id: "hub" }]);
  givenCloud([...released, { type: "HubRemoved", id: "hub" }])
    .when(register)
    .then([registered, seen]);
  givenCloud().when(remove).then([]);
});

test("founds the cloud once", () => {
  const founded = { type: "CloudFounded", id: "cloud", digestKey: "k" };
  givenCloud().when({ type: "FOUND_CLOUD", digestKey: "k" }).then([founded]);
  givenCloud([founded]).when({ type: "FOUND_CLOUD", digestKey: "other" }).then([]);
});

const jwk = { kty: "OKP" };
const add = (id: string, from: number) => {
  return { type: "ADD_SIGNING_KEY", id, publicJwk: jwk, privateJwk: jwk, from };
};
const added = (id: string, from: number) => {
  return { type: "SigningKeyAdded", id, publicJwk: jwk, privateJwk: jwk, from };
};

test("signs with the first key at once and with further ones later; old ones stay published", () => {
  givenCloud()
    .when(add("k1", testNow + 50))
    .then([added("k1", testNow)]);
  const from = testNow + limits.signingKeyLeadMs;
  const until = from + longestLifeMs;
  const ended = { type: "SigningKeyEnded", id: "k1", until };
  const after = givenCloud([added("k1", 1)])
    .when(add("k2", from))
    .then([ended, added("k2", from)]);
  const keys = ["k1", "k2"].map((id) => after.state("signingKey", id) as SigningKey);
  const names = (all: readonly SigningKey[]): string[] => all.map(({ id }) => id);
  for (const [now, signs, published] of [
    [1, "k1", ["k1", "k2"]],
    [from - 1, "k1", ["k1", "k2"]],
    [from, "k2", ["k1", "k2"]],
    [until - 1, "k2", ["k1", "k2"]],
    [until, "k2", ["k2"]],
  ] as const) {
    assert.equal(signingKeyAt(keys, now)?.id, signs, String(now));
    assert.equal(signingKeyAt(keys.toReversed(), now)?.id, signs, String(now));
    assert.deepEqual(names(publishedKeys(keys, now)), published, String(now));
  }
  assert.equal(signingKeyAt(keys, 0), undefined);
  assert.ok(longestLifeMs >= limits.hubKeyMs && longestLifeMs >= limits.cloudTokenMs);
});

test("signs with the last of keys that begin at the same time", () => {
  const after = givenCloud([added("k1", testNow)])
    .when(add("k2", testNow))
    .then([{ type: "SigningKeyEnded", id: "k1", until: testNow + longestLifeMs }, added("k2", testNow)]);
  const keys = ["k1", "k2"].map((id) => after.state("signingKey", id) as SigningKey);
  for (const order of [keys, keys.toReversed()]) assert.equal(signingKeyAt(order, testNow)?.id, "k2");
});

test("drops a signing key only after everything that it signed has expired", () => {
  const drop = { type: "DROP_SIGNING_KEY", id: "k1" };
  const ended = { type: "SigningKeyEnded", id: "k1", until: testNow };
  givenCloud([added("k1", 1)])
    .when(drop)
    .then({ rejected: "wrong-state" });
  givenCloud([added("k1", 1), ended])
    .when(drop, testNow - 1)
    .then({ rejected: "wrong-state" });
  const after = givenCloud([added("k1", 1), ended])
    .when(drop)
    .then([{ type: "SigningKeyDropped", id: "k1" }]);
  assert.equal(after.state("signingKey", "k1"), undefined);
  givenCloud().when(drop).then([]);
});

test("adds a key once, and limits the number of keys", () => {
  givenCloud([added("k1", 1)])
    .when(add("k1", 1))
    .then({ rejected: "wrong-state", field: "id" });
  const decide = (count: number): unknown =>
    signingKey.decide(add("k", 0) as never, undefined, crowdedWorld(count));
  assert.equal((decide(limits.signingKeys) as { rejected?: string }).rejected, "wrong-state");
  assert.ok(Array.isArray(decide(limits.signingKeys - 1)));
});
