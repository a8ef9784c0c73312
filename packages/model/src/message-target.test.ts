import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { roles } from "./access.ts";
import { features } from "./feature.ts";
import { limits } from "./limits.ts";
import { targetsOfAlarm } from "./message-target.ts";

const created = { type: "HubCreated", id: "h", name: "Home", timezone: "UTC" };
const on = { type: "FeaturesSet", id: "h", features: [features.PN_MESSAGING] };
const added = (id: string, role: number) => ({
  type: "UserAdded",
  id,
  email: `${id}@example.org`,
  nickname: id,
  phone: null,
  role,
});
const ann = added("ann", roles.USER_ADMIN);
const gus = added("gus", roles.GUEST);
const set = (id: string, more: object = {}) => ({
  type: "MessageTargetSet",
  id,
  user: "ann",
  kind: "ntfy",
  name: "ntfy",
  url: "http://10.0.0.5",
  topic: "home",
  token: "secret",
  alarms: "warn",
  local: true,
  ...more,
});
const wish = (more: object) => ({ type: "SET_MESSAGE_TARGET", local: false, ...more });
const home = [created, on, ann, gus, set("t")];

test("a token stays with its server, and goes with no address that is set later", () => {
  const refused = {
    rejected: "invalid",
    message: "must be given again for another server",
    field: "token",
  } as const;
  given(home)
    .when(wish({ id: "t", url: "http://10.0.0.6" }))
    .then(refused);
  given(home)
    .when(wish({ id: "t", url: "https://10.0.0.5" }))
    .then(refused);
  given(home)
    .when(wish({ id: "t", url: "http://10.0.0.6", token: null }))
    .then([set("t", { url: "http://10.0.0.6", token: null, local: false })]);
  given(home)
    .when(wish({ id: "t", url: "http://10.0.0.5/ntfy/" }))
    .then([set("t", { url: "http://10.0.0.5/ntfy", local: false })]);
});

test("a change that names no address leaves where it may be", () => {
  given(home)
    .when(wish({ id: "t", alarms: "none" }))
    .then([set("t", { alarms: "none" })]);
});

test("there are at most as many targets as the limit says", () => {
  const many = Array.from({ length: limits.messageTargets - 1 }, (_, n) => set(`t${n}`));
  const more = wish({ user: "ann", kind: "ntfy", url: "http://a", topic: "home" });
  given([...home, ...many.slice(1)]).when(more);
  given([...home, ...many])
    .when(more)
    .then({ rejected: "invalid", message: `at most ${limits.messageTargets} message targets` });
});

test("a message by push goes to the targets of its recipients too", () => {
  const text = { id: "MESSAGE", parameters: { text: "Hello" } };
  const told = { to: [], level: "err", text, sourceId: "x" };
  given([...home, set("of-gus", { user: "gus" })])
    .when({ type: "SEND_MESSAGE", ...told, to: ["ann"], channels: ["push"] })
    .then([
      { type: "MessageQueued", id: "new-1", ...told, to: ["ann"], channels: ["push", "target:t"], left: [] },
    ]);
  const direct = { type: "SEND_TO_TARGETS", targets: ["t"], level: "err", text, sourceId: "x" };
  given(home)
    .when(direct)
    .then([{ type: "MessageQueued", id: "new-1", ...told, to: ["ann"], channels: ["target:t"], left: [] }]);
  given(home)
    .when({ ...direct, targets: ["t", "gone"] })
    .then({ rejected: "not-found", message: "no message target gone", field: "targetId" });
});

test("an alarm goes to targets from its level on, and none of a hidden thing to guests", () => {
  const targets = [set("t"), set("all", { alarms: "info", user: "gus" }), set("none", { alarms: "none" })];
  const given_ = given([created, on, ann, gus, ...targets]);
  const read = {
    get: (kind: never, id: string) => given_.state(kind, id),
    all: () => targets.map(({ id }) => [id, given_.state("messageTarget", id)]),
  } as never;
  const ids = (level: "info" | "warn" | "err", hidden: boolean) =>
    targetsOfAlarm(level, hidden, read).map(({ id }) => id);
  assert.deepEqual(ids("info", false), ["all"]);
  assert.deepEqual(ids("err", false), ["t", "all"]);
  assert.deepEqual(ids("err", true), ["t"]);
});
