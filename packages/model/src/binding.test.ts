import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const place = { protocol: "zigbee", native: "0x1", radio: "stick" };
const bind = { type: "BIND_DEVICE", id: "d", ...place };
const bound = { type: "DeviceBound", id: "d", ...place };
const unbound = { type: "DeviceUnbound", id: "d" };

test("BIND_DEVICE links a device to its native device", () => {
  const shown = given().when(bind).then([bound]).state("binding", "d");
  assert.deepEqual(shown, { id: "d", ...place, removed: false });
  given([bound]).when(bind).then([]);
});

for (const change of [{ protocol: "zwave" }, { native: "0x2" }, { radio: "other" }]) {
  test(`BIND_DEVICE notes a changed ${Object.keys(change).join()}`, () => {
    const shown = given([bound])
      .when({ ...bind, ...change })
      .then([{ ...bound, ...change }])
      .state("binding", "d");
    assert.deepEqual(shown, { id: "d", ...place, ...change, removed: false });
  });
}

test("UNBIND_DEVICE keeps the binding, and BIND_DEVICE renews it", () => {
  const shown = given([bound]).when({ type: "UNBIND_DEVICE", id: "d" }).then([unbound]).state("binding", "d");
  assert.deepEqual(shown, { id: "d", ...place, removed: true });
  given([bound, unbound]).when({ type: "UNBIND_DEVICE", id: "d" }).then([]);
  assert.equal(given([bound, unbound]).when(bind).then([bound]).state("binding", "d")?.removed, false);
});

test("UNBIND_DEVICE refuses a device that was never bound", () => {
  given()
    .when({ type: "UNBIND_DEVICE", id: "d" })
    .then({ rejected: "not-found", message: "no device d", field: "id" });
  assert.equal(given([unbound]).state("binding", "d"), undefined);
});
