import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const lamp = {
  type: "DeviceAdded",
  id: "lamp",
  name: "Boiler",
  class: "LIGHT",
  capabilities: ["DEVICE"],
  manufacturer: null,
  model: null,
  extras: {},
};

test("CMD_DEVICE_META sets whether a device is for hot water", () => {
  const meta = (hotWater: boolean | null): { type: string; id: string; hotWater: boolean | null } => {
    return { type: "CMD_DEVICE_META", id: "lamp", hotWater };
  };
  assert.equal(given([lamp]).state("device", "lamp")?.hotWater, undefined);
  const set = (hotWater: boolean): { type: string; id: string; hotWater: boolean } => {
    return { type: "DeviceHotWaterSet", id: "lamp", hotWater };
  };
  const after = given([lamp])
    .when(meta(true))
    .then([set(true)]);
  assert.equal(after.state("device", "lamp")?.hotWater, true);
  given([lamp, set(true)])
    .when(meta(true))
    .then([]);
  given([lamp, set(true)])
    .when(meta(null))
    .then([]);
  given([lamp, set(true)])
    .when(meta(false))
    .then([set(false)]);
});
