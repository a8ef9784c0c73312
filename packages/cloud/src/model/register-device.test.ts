import assert from "node:assert/strict";
import { test } from "node:test";
import { givenCloud } from "./test-given.ts";

const place = { register: "hub", device: "lamp" };
const metadata = {
  isActive: true,
  nativeId: "n",
  serialNumber: "s",
  model: "m",
  manufacturer: "f",
  tags: { floor: "1", side: "north" },
};
const described = { type: "RegisterDeviceDescribed", id: "hub/lamp", ...place, by: "ada", metadata };
const describe_ = { type: "DESCRIBE_REGISTER_DEVICE", ...place, by: "ada", metadata };

test("the description of a device is replaced whole, and a repeated one changes nothing", () => {
  givenCloud([]).when(describe_).then([described]);
  const tags = { side: "north", floor: "1" };
  givenCloud([described])
    .when({ ...describe_, by: "eve", metadata: { ...metadata, tags } })
    .then([]);
  const other = { ...metadata, isActive: false, tags: {} };
  const after = givenCloud([described])
    .when({ ...describe_, metadata: other }, 7000)
    .then([{ ...described, metadata: other }]);
  const state = after.state("registerDevice", "hub/lamp");
  assert.deepEqual([state?.metadata, state?.modifiedBy, state?.modifiedAt], [other, "ada", 7000]);
});

test("a configuration is kept beside the description", () => {
  const configured = {
    type: "RegisterDeviceConfigured",
    id: "hub/lamp",
    ...place,
    configuration: { pin: 1 },
  };
  const after = givenCloud([described])
    .when({ type: "CONFIGURE_REGISTER_DEVICE", ...place, configuration: { pin: 1 } })
    .then([configured]);
  const state = after.state("registerDevice", "hub/lamp");
  assert.deepEqual([state?.configuration, state?.metadata], [{ pin: 1 }, metadata]);
});

test("a forgotten device is gone, and cannot be forgotten twice", () => {
  const forget = { type: "FORGET_REGISTER_DEVICE", ...place };
  const forgotten = { type: "RegisterDeviceForgotten", id: "hub/lamp", ...place };
  const after = givenCloud([described]).when(forget).then([forgotten]);
  assert.equal(after.state("registerDevice", "hub/lamp"), undefined);
  givenCloud([]).when(forget).then({ rejected: "not-found", field: "deviceId" });
});
