import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../api/call.ts";
import type { BacnetObject } from "../../api/wired.ts";
import { capabilityKey, devicesOf, refusedBacnet } from "./bacnet.ts";

function object(deviceId: number, address: string, objectId: number): BacnetObject {
  return {
    identifier: `${deviceId} analogInput ${objectId} at ${address}`,
    objectId,
    objectType: "analogInput",
    objectName: `Sensor ${objectId}`,
    address,
    deviceId,
    vendorName: "Acme",
    modelName: "",
    alreadyPaired: false,
    possibleDevices: ["TEMPERATURE"],
  };
}

test("groups objects by device, and tells devices with one number apart", () => {
  const objects = [object(9, "10.0.0.3", 1), object(2, "10.0.0.2", 1), object(9, "10.0.0.4", 1)];
  const more = [...objects, object(9, "10.0.0.3", 2)];
  const found = devicesOf(Object.fromEntries(more.map((each) => [each.identifier, each])));
  assert.deepEqual(
    found.map(({ key, made, objects: of }) => [key, made, of.length]),
    [
      ["2 10.0.0.2", "Acme", 1],
      ["9 10.0.0.3", "Acme", 2],
      ["9 10.0.0.4", "Acme", 1],
    ],
  );
  assert.deepEqual(devicesOf({}), []);
});

test("calls what an object can be as its attribute is called, and leaves what is new its name", () => {
  assert.equal(capabilityKey("TEMPERATURE"), "attribute.temperature");
  assert.equal(capabilityKey("CONTROL_POWER"), "bacnetAs.CONTROL_POWER");
  assert.equal(capabilityKey("NEXT_YEAR"), "bacnetAs.NEXT_YEAR");
  assert.equal(capabilityKey("toString"), "bacnetAs.toString");
});

const refusals = [
  [404, "", "this hub runs no BACnet adapter", "bacnet.noAdapter"],
  [503, "", "the port is taken", "bacnet.noPort"],
  [504, "", "timed out", "bacnet.silent"],
  [422, "", "nobody answers to device 7", "bacnet.silent"],
  [422, "address", "must be an IPv4 address such as 10.0.0.2", "bacnet.badAddress"],
  [422, "address", "is missing: 10.0.0.2 and 10.0.0.3 have this number", "bacnet.several"],
  [422, "deviceId", "must be <= 4194302", "bacnet.badNumber"],
  [422, "objectId", "is paired already", "bacnet.paired"],
  [422, "objectId", "device 7 has no analogInput 3", "bacnet.gone"],
  [422, "capability", "must be one of TEMPERATURE", "bacnet.unfit"],
  [403, "", "administrators only", undefined],
] as const;
for (const [status, field, message, key] of refusals) {
  test(`says of ${status} ${field} ${message}: ${key ?? "the hub's words"}`, () => {
    const errors = field === "" ? [] : [{ field, message }];
    const failure: Failure = { status, message, retryAfterS: undefined, oldest: undefined, errors };
    assert.equal(refusedBacnet(failure), key);
  });
}
