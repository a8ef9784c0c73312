import assert from "node:assert/strict";
import { test } from "node:test";
import { given, isWellFormed } from "@ledge/testkit";
import { CmdDeviceMeta } from "./device.ts";
import { limits } from "./limits.ts";
import { awayThresholdOf } from "./ui-device.ts";

const user = (id: string) => ({
  type: "UserAdded",
  id,
  email: `${id}@b`,
  nickname: id,
  phone: null,
  role: 8,
});
const content = (client: string) => ({
  class: "UI_DEVICE",
  capabilities: ["DEVICE", "USER_PRESENCE"],
  manufacturer: null,
  model: null,
  extras: { uuid: client, awayThreshold: limits.awayThresholdMs },
});
const added = (id: string, owner: string, client: string, at = 5) => [
  { type: "DeviceAdded", id, name: `App ${client.slice(0, 8)}`, ...content(client) },
  { type: "DeviceReported", id, attributes: { session: true, user: owner }, at },
];
const left = (id: string, at: number) => ({ type: "DeviceReported", id, attributes: { session: false }, at });
const note = (owner: string, client: string, changed: object = {}) => {
  const fields = { session: true, reachable: true, at: 5, ...changed };
  return { type: "NOTE_UI_DEVICE", user: owner, client, ...fields };
};
const crowd = (owner: string, count: number) =>
  Array.from({ length: count }, (_, n) => added(`${owner}${n}`, owner, `c${n}`)).flat();

test("a polling client is a device of its user", () => {
  const home = given([user("ann")])
    .when(note("ann", "client-0001"))
    .then(added("new-1", "ann", "client-0001"));
  const { type, state, ...rest } = home.state("device", "new-1") ?? {};
  assert.deepEqual([type, (rest as { uuid?: string }).uuid], ["UI_DEVICE", "client-0001"]);
  assert.deepEqual(state, {
    type: "STATE_UI_DEVICE",
    session: true,
    user: "ann",
    reachable: true,
    lastSeen: 5,
  });
  given([user("ann"), ...added("d1", "ann", "client-0001")])
    .when(note("ann", "client-0001"))
    .then([]);
});

test("users who share a client have a device each", () => {
  given([user("ann"), user("bob"), ...added("d1", "ann", "c")])
    .when(note("bob", "c"))
    .then(added("new-1", "bob", "c"));
});

test("leaving, staying away and returning are one event each", () => {
  const here = [user("ann"), ...added("d1", "ann", "c")];
  given(here)
    .when(note("ann", "c", { session: false }))
    .then([left("d1", 5)]);
  const gone = [...here, left("d1", 5)];
  given(gone)
    .when(note("ann", "c", { session: false }))
    .then([]);
  const away = { type: "DeviceReported", id: "d1", attributes: { reachable: false }, at: 9 };
  given(gone)
    .when(note("ann", "c", { session: false, reachable: false, at: 9 }))
    .then([away]);
  given([...gone, away])
    .when(note("ann", "c"))
    .then([{ type: "DeviceReported", id: "d1", attributes: { session: true, reachable: true }, at: 5 }]);
});

test("refuses unknown and revoked users, and adds no client that has left", () => {
  const nobody = { rejected: "not-found", message: "no user ann" } as const;
  given().when(note("ann", "c")).then(nobody);
  given([user("ann"), { type: "UserRevoked", id: "ann" }])
    .when(note("ann", "c"))
    .then(nobody);
  given([user("ann")])
    .when(note("ann", "c", { session: false }))
    .then([]);
});

test("replaces a user's longest unused client at the limit, locked or not", () => {
  const full = [
    user("ann"),
    user("bob"),
    ...crowd("ann", limits.uiDevicesPerUser),
    ...added("b", "bob", "x"),
  ];
  const locked = { type: "DeviceLockSet", id: "ann3", locked: true };
  given([...full, left("ann7", 20), left("ann3", 10), left("b", 1), locked])
    .when(note("ann", "new"))
    .then([...added("new-1", "ann", "new"), { type: "DeviceRemoved", id: "ann3", groups: [] }]);
  given(full)
    .when(note("ann", "new"))
    .then({ rejected: "invalid", message: `${limits.uiDevicesPerUser} clients are in use`, field: "client" });
  given([user("ann"), ...crowd("ann", limits.uiDevicesPerUser - 1)])
    .when(note("ann", "new"))
    .then(added("new-1", "ann", "new"));
});

test("replaces the longest unused client of all users at the limit", () => {
  const owners = Array.from({ length: Math.ceil(limits.uiDevices / 10) }, (_, n) => `u${n}-`);
  const full = [user("ann"), ...owners.flatMap((owner) => [user(owner), ...crowd(owner, 10)])];
  given([...full, left("u5-5", 20), left("u7-1", 10)])
    .when(note("ann", "new"))
    .then([...added("new-1", "ann", "new"), { type: "DeviceRemoved", id: "u7-1", groups: [] }]);
  given(full)
    .when(note("ann", "new"))
    .then({ rejected: "invalid", message: `${limits.uiDevices} clients are in use`, field: "client" });
});

test("a user can replace a client's first away threshold", () => {
  const here = [user("ann"), ...added("d1", "ann", "c")];
  const meta = { type: "CMD_DEVICE_META", id: "d1" };
  const set = { type: "DeviceAwayThresholdSet", id: "d1", awayThreshold: 60_000 };
  const after = given(here)
    .when({ ...meta, awayThreshold: 60_000 })
    .then([set]);
  assert.equal(awayThresholdOf(after.state("device", "d1")), 60_000);
  for (const same of [60_000, null])
    given([...here, set])
      .when({ ...meta, awayThreshold: same })
      .then([]);
  given(here)
    .when({ ...meta, awayThreshold: limits.awayThresholdMs })
    .then([]);
});

test("other devices have no away threshold", () => {
  const lamp = { type: "DeviceAdded", id: "lamp", name: "Lamp", ...content("c"), class: "LIGHT", extras: {} };
  given([lamp])
    .when({ type: "CMD_DEVICE_META", id: "lamp", awayThreshold: limits.awayThresholdMs })
    .then({ rejected: "invalid", field: "awayThreshold" });
});

test("an away threshold is between a minute and a week", () => {
  const { awayThresholdMinMs: least, awayThresholdMaxMs: most } = limits;
  for (const [awayThreshold, isValid] of [
    [least, true],
    [most, true],
    [null, true],
    [least - 1, false],
    [most + 1, false],
    [least + 0.5, false],
    ["60000", false],
  ] as const) {
    const said = { type: "CMD_DEVICE_META", id: "d", awayThreshold };
    assert.equal(isWellFormed(CmdDeviceMeta, said), isValid, String(awayThreshold));
  }
});
