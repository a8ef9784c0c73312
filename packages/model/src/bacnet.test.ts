import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { Check } from "typebox/value";
import { BacnetSettings, bacnetId, defaultBacnetSettings, SetBacnetSettings } from "./bacnet.ts";

const hub = {
  type: "HubCreated",
  id: "b40a33b4-23b4-14e5-925a-78c90baba039",
  name: "Villa",
  timezone: "UTC",
};
const settings = { bacnetEnabled: true, deviceId: 5, deviceName: "Cabin", port: 1025, broadcast: false };
const wanted = { type: "BACNET_SETTINGS", ...settings };
const set = { type: "BacnetSettingsSet", id: bacnetId, ...settings };

test("the default is off, with a number and name derived from the hub", () => {
  const fresh = defaultBacnetSettings(hub.id, "Villa");
  assert.deepEqual(fresh, defaultBacnetSettings(hub.id, "Villa"));
  assert.equal(fresh.deviceName, "Villa b40a33b4");
  assert.notEqual(fresh.deviceId, defaultBacnetSettings(`${hub.id}0`, "Villa").deviceId);
  assert.deepEqual([fresh.bacnetEnabled, fresh.port, fresh.broadcast], [false, 47_808, true]);
  for (let index = 0; index < 1000; index++)
    assert.ok(Check(BacnetSettings, defaultBacnetSettings(`hub ${index}`, "n".repeat(128))));
});

test("SET_BACNET_SETTINGS replaces all settings; broadcast is optional", () => {
  const after = given([hub]).when(wanted).then([set]);
  assert.deepEqual(after.state("bacnet", bacnetId), wanted);
  given([hub, set]).when(wanted).then([]);
  given([hub, set])
    .when({ ...wanted, broadcast: null })
    .then([]);
  given([hub])
    .when({ ...wanted, broadcast: null })
    .then([{ ...set, broadcast: true }]);
  given().when(wanted).then({ rejected: "wrong-state" });
});

test("RESET_BACNET_SETTINGS does not turn the server off", () => {
  const { type: _, ...fresh } = defaultBacnetSettings(hub.id, "Villa");
  const reset = { type: "RESET_BACNET_SETTINGS" };
  given([hub, set])
    .when(reset)
    .then([{ ...set, ...fresh, bacnetEnabled: true }]);
  given([hub])
    .when(reset)
    .then([{ ...set, ...fresh }]);
});

for (const [field, right, wrong] of [
  ["deviceId", [0, 4_194_302], [-1, 4_194_303, 1.5, "5"]],
  ["port", [1025, 65_535], [1024, 65_536, 0]],
  ["deviceName", ["x", "x".repeat(64)], ["", " ", "x".repeat(65)]],
  ["broadcast", [true, null, undefined], ["yes", 1]],
] as const) {
  test(`${field} has limits`, () => {
    for (const value of right)
      assert.ok(Check(SetBacnetSettings, { ...wanted, [field]: value }), String(value));
    for (const value of wrong)
      assert.ok(!Check(SetBacnetSettings, { ...wanted, [field]: value }), String(value));
  });
}
