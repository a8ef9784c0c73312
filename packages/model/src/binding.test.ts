import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const place = { protocol: "zigbee", native: "0x1", radio: "stick" };
const bind = { type: "BIND_DEVICE", id: "d", ...place };
const bound = { type: "DeviceBound", id: "d", ...place };
const unbound = { type: "DeviceUnbound", id: "d" };

test("BIND_DEVICE says which native device a device is", () => {
  const shown = given().when(bind).then([bound]).state("binding", "d");
  assert.deepEqual(shown, { id: "d", ...place, removed: false });
  given([bound]).when(bind).then([]);
});

for (const change of [{ protocol: "zwave" }, { native: "0x2" }, { radio: "other" }]) {
  test(`another ${Object.keys(change).join()} is news`, () => {
    const shown = given([bound])
      .when({ ...bind, ...change })
      .then([{ ...bound, ...change }])
      .state("binding", "d");
    assert.deepEqual(shown, { id: "d", ...place, ...change, removed: false });
  });
}

test("a binding outlives its device, and can be made again", () => {
  const shown = given([bound]).when({ type: "UNBIND_DEVICE", id: "d" }).then([unbound]).state("binding", "d");
  assert.deepEqual(shown, { id: "d", ...place, removed: true });
  given([bound, unbound]).when({ type: "UNBIND_DEVICE", id: "d" }).then([]);
  assert.equal(given([bound, unbound]).when(bind).then([bound]).state("binding", "d")?.removed, false);
});

test("what was never bound cannot be unbound", () => {
  given()
    .when({ type: "UNBIND_DEVICE", id: "d" })
    .then({ rejected: "not-found", message: "no device d", field: "id" });
  assert.equal(given([unbound]).state("binding", "d"), undefined);
});
