import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeviceField, fits, isMeant } from "./fields.ts";

const lights: DeviceField = {
  part: "outputs",
  name: "lights",
  label: "Lights",
  help: "",
  min: 1,
  max: 32,
  capabilities: ["ON_OFF", "CONTROL_LIGHT"],
  needsAll: false,
};
const device = (type: string, ...values: string[]) => ({ type, capabilities: { values } });
const [lamp, fridge, siren] = [
  device("LIGHT", "ON_OFF"),
  device("RELAY", "ON_OFF"),
  device("SIREN", "ON_OFF", "GENERATE_ALERT"),
] as const;

test("a field for lamps shows lamps first, then what else switches, and no siren", () => {
  assert.deepEqual(
    [lamp, fridge, siren].map((each) => fits(each, lights)),
    [true, true, false],
  );
  assert.deepEqual(
    [lamp, fridge].map((each) => isMeant(each, lights)),
    [true, false],
  );
  assert.equal(isMeant(device("RELAY", "ON_OFF", "CONTROL_LIGHT"), lights), true);
});

test("a field for anything that switches takes all of them alike", () => {
  const devices = { ...lights, name: "devices" };
  for (const each of [lamp, fridge, siren]) {
    assert.equal(fits(each, devices), true);
    assert.equal(isMeant(each, devices), true);
  }
});
