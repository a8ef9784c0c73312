import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { accountAdded, givenCloud } from "./test-given.ts";

const site = {
  type: "SiteCreated",
  id: "s",
  place: { subscription: "ada", group: "homes", name: "house" },
  displayName: "House",
  attributes: [],
  properties: { siteType: "other", timeZone: "UTC", features: [] },
  schema: { attributes: [], entities: [] },
};
const base = [accountAdded("ada"), site];
const settings = {
  url: "https://hooks.example/",
  method: "POST",
  headers: { authorization: "secret" },
  requestTimeoutSeconds: null,
  fetchMaxEvents: 10,
  fetchWaitMaxMs: 10,
};
const of = { id: "s", targetId: "main" };
const create = { type: "CREATE_EGRESS_TARGET", ...of, settings, isEnabled: true, secret: "whsec_a" };
const created = { ...create, type: "EgressTargetCreated" };
const update = (more: object, isEnabled = true) => {
  return { type: "UPDATE_EGRESS_TARGET", ...of, settings: { ...settings, ...more }, isEnabled };
};
const updated = (more: object, isEnabled = true) => ({
  ...update(more, isEnabled),
  type: "EgressTargetUpdated",
});

test("a target stands in a site that exists, under an id of its own in any case", () => {
  givenCloud(base).when(create).then([created]);
  givenCloud(base)
    .when({ ...create, targetId: "constructor" })
    .then([{ ...created, targetId: "constructor" }]);
  givenCloud([accountAdded("ada")])
    .when(create)
    .then({ rejected: "not-found", field: "siteId" });
  const world = givenCloud([...base, created]);
  for (const targetId of ["main", "MAIN"])
    world.when({ ...create, targetId }).then({ rejected: "taken", field: "target.id" });
  for (const command of [
    update({}),
    { type: "DELETE_EGRESS_TARGET" },
    { type: "ROTATE_EGRESS_SECRET", secret: "b" },
  ])
    world.when({ ...command, ...of, targetId: "none" }).then({ rejected: "not-found", field: "targetId" });
});

test("a site has as many targets as the limit says", () => {
  const others = Array.from({ length: limits.egressTargets - 1 }, (_, at) => ({
    ...created,
    targetId: `other${at}`,
  }));
  givenCloud([...base, ...others])
    .when(create)
    .then([created]);
  givenCloud([...base, ...others, created])
    .when({ ...create, targetId: "more" })
    .then({ rejected: "limit" });
});

test("an update replaces the settings whole, and a hidden header keeps its value", () => {
  const world = givenCloud([...base, created]);
  world.when(update({})).then([]);
  world.when(update({ headers: { authorization: "***" } })).then([]);
  world
    .when(update({ headers: { Authorization: "***" } }))
    .then([updated({ headers: { Authorization: "secret" } })]);
  world.when(update({ headers: {} })).then([updated({ headers: {} })]);
  world.when(update({ headers: { other: "***" } })).then({ rejected: "invalid", field: "target.headers" });
  givenCloud(base)
    .when({ ...create, settings: { ...settings, headers: { a: "***" } } })
    .then({ rejected: "invalid", field: "target.headers" });
});

test("values of headers stay with the URL to which they are sent", () => {
  const world = givenCloud([...base, created]);
  for (const url of [
    "https://other.example/",
    "https://hooks.example/other",
    "https://hooks.example:8443/",
  ]) {
    for (const headers of [{ authorization: "***" }, { other: "said", Authorization: "***" }])
      world.when(update({ url, headers })).then({ rejected: "invalid", field: "target.headers" });
    world
      .when(update({ url, headers: { authorization: "said" } }))
      .then([updated({ url, headers: { authorization: "said" } })]);
  }
});

test("a target that a person enables again gets what comes from then on", () => {
  const sinceOf = (events: Parameters<typeof givenCloud>[0]): number | undefined =>
    givenCloud(events).state("egress", "s")?.targets["main"]?.since;
  const first = sinceOf([...base, created]) ?? assert.fail();
  assert.equal(sinceOf([...base, created, updated({ fetchMaxEvents: 1 })]), first);
  assert.equal(sinceOf([...base, created, updated({}, false)]), first);
  assert.ok((sinceOf([...base, created, updated({}, false), updated({})]) ?? 0) > first);
});

test("the former secret stays valid for a while after a rotation", () => {
  const rotated = { type: "EgressSecretRotated", ...of, secret: "whsec_b" };
  givenCloud([...base, created])
    .when({ type: "ROTATE_EGRESS_SECRET", ...of, secret: "whsec_b" })
    .then([rotated]);
  const { targets, timestamp = 0 } = givenCloud([...base, created, rotated]).state("egress", "s") ?? {};
  assert.deepEqual(
    [targets?.["main"]?.secret, targets?.["main"]?.former],
    ["whsec_b", { secret: "whsec_a", until: timestamp + limits.egressSecretOverlapMs }],
  );
});

test("targets go one by one, and all with their site", () => {
  const deleted = { type: "EgressTargetDeleted", ...of };
  givenCloud([...base, created])
    .when({ type: "DELETE_EGRESS_TARGET", ...of, targetId: "MAIN" })
    .then([deleted]);
  assert.equal(givenCloud([...base, created, deleted]).state("egress", "s"), undefined);
  const closed = { type: "EgressClosed", id: "s" };
  givenCloud([...base, created])
    .when({ type: "CLOSE_EGRESS", id: "s" })
    .then([closed]);
  assert.equal(givenCloud([...base, created, closed]).state("egress", "s"), undefined);
  givenCloud(base).when({ type: "CLOSE_EGRESS", id: "s" }).then([]);
});

test("a target keeps as many dead letters as the limit says, the newest, each once", () => {
  const batch = (at: number) => ({
    batchId: `b${at}`,
    first: at,
    last: at,
    events: 1,
    reason: "answered 400",
  });
  const refused = (at: number) => ({ type: "EgressBatchRefused", ...of, ...batch(at) });
  const all = Array.from({ length: limits.egressDeadLetters + 1 }, (_, at) => refused(at));
  const world = givenCloud([...base, created, ...all]);
  const letters = world.state("egress", "s")?.targets["main"]?.deadLetters ?? [];
  assert.deepEqual([letters.length, letters[0]?.batchId], [limits.egressDeadLetters, "b1"]);
  world.when({ type: "GIVE_UP_EGRESS_BATCH", ...of, ...batch(1) }).then([]);
  const replay = { type: "REPLAY_EGRESS", ...of };
  world.when({ ...replay, batchId: "b0" }).then({ rejected: "not-found", field: "batchId" });
  world.when({ ...replay, batchId: "b1" }).then([{ type: "EgressReplayAsked", ...of, batchIds: ["b1"] }]);
});

test("a target that the cloud has disabled gets what has waited when it is enabled again", () => {
  const stopped = { type: "EgressTargetStopped", ...of, reason: "gone" };
  givenCloud([...base, created])
    .when({ type: "STOP_EGRESS_TARGET", ...of, reason: "gone" })
    .then([stopped]);
  givenCloud([...base, created, stopped])
    .when({ type: "STOP_EGRESS_TARGET", ...of, reason: "failing" })
    .then([]);
  const targetAfter = (...events: object[]) =>
    givenCloud([...base, created, ...(events as (typeof created)[])]).state("egress", "s")?.targets["main"];
  const again = targetAfter(stopped, updated({}));
  assert.deepEqual([again?.since, again?.stop, again?.isEnabled], [targetAfter()?.since, null, true]);
});
