import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given } from "@ledge/testkit";
import { deviceKeys } from "./device-content.ts";
import { limits } from "./limits.ts";

const content = { class: "LIGHT", capabilities: ["DEVICE"], manufacturer: "M", model: "L", extras: {} };
const binding = { protocol: "sim", native: "n1", radio: "air" };
const added = { type: "DeviceAdded", id: "d1", name: "Lamp", ...content };

const text = (chars: number): string => "x".repeat(chars);
const capabilities = (count: number): string[] => Array.from({ length: count }, (_, index) => `CAP_${index}`);
/** Returns extras whose JSON has exactly this length. */
const extras = (chars: number): object => ({ a: text(chars - '{"a":""}'.length) });

/** A field, the largest value that fits, and one that does not. */
const edges: readonly [field: string, fits: unknown, beyond: unknown][] = [
  ["manufacturer", text(limits.nameChars), text(limits.nameChars + 1)],
  ["model", text(limits.nameChars), text(limits.nameChars + 1)],
  ["capabilities", capabilities(limits.deviceCapabilities), capabilities(limits.deviceCapabilities + 1)],
  ["capabilities", [text(limits.nameChars)], [text(limits.nameChars + 1)]],
  ["extras", extras(limits.deviceExtrasChars), extras(limits.deviceExtrasChars + 1)],
];

describe("an adapter's description of a device is limited", () => {
  for (const [field, fits, beyond] of edges) {
    test(`in ${field}, when the device is added and when it is described again`, () => {
      const add = { type: "ADD_DEVICE", name: "Lamp", ...content, ...binding };
      const describe_ = { type: "DESCRIBE_DEVICE", id: "d1", ...content };
      given()
        .when({ ...add, [field]: fits })
        .then([
          { ...added, id: "new-1", [field]: fits },
          { type: "DeviceBound", id: "new-1", ...binding },
        ]);
      given()
        .when({ ...add, [field]: beyond })
        .then({ rejected: "invalid", field });
      const after = given([added])
        .when({ ...describe_, [field]: fits })
        .then([{ ...describe_, type: "DeviceDescribed", [field]: fits }]);
      assert.ok(after.state("device", "d1"));
      given([added])
        .when({ ...describe_, [field]: beyond })
        .then({ rejected: "invalid", field });
    });
  }

  test("in its first name", () => {
    const add = { type: "ADD_DEVICE", ...content, ...binding };
    const name = text(limits.nameChars);
    given()
      .when({ ...add, name })
      .then([
        { ...added, id: "new-1", name },
        { type: "DeviceBound", id: "new-1", ...binding },
      ]);
    given()
      .when({ ...add, name: `${name}x` })
      .then({ rejected: "invalid", field: "name" });
  });
});

describe("the further keys of a class", () => {
  const camera = {
    cameraId: null,
    credentialStatus: null,
    medias: [],
    ssid: null,
    username: null,
    wifiConnected: false,
  };
  const keysOf = (type: string, said: object): object => {
    const device = given([{ ...added, class: type, extras: said }]).state("device", "d1");
    assert.ok(device);
    return Object.fromEntries(Object.entries(device).filter(([key]) => !deviceKeys.has(key)));
  };

  test("exist before the adapter reports them, and then have its values", () => {
    assert.deepEqual(keysOf("CAMERA", {}), camera);
    assert.deepEqual(keysOf("CAMERA", { ssid: "Home", lens: 2 }), { ...camera, ssid: "Home", lens: 2 });
    assert.deepEqual(keysOf("REMOTE_CONTROL", {}), { buttons: [] });
    assert.deepEqual(keysOf("LIGHT", {}), {});
  });

  test("stay when the adapter does not repeat them", () => {
    const described = { ...content, type: "DeviceDescribed", id: "d1", class: "CAMERA" };
    const state = given([{ ...added, class: "CAMERA", extras: { ssid: "Home" } }, described]).state(
      "device",
      "d1",
    );
    assert.equal((state as { ssid?: string } | undefined)?.ssid, "Home");
  });

  test("add to the keys of every device, whatever its capabilities", () => {
    const state = given([{ ...added, capabilities: ["DEVICE", "NEVER_HEARD_OF"] }]).state("device", "d1");
    // Until somebody has set it, a device has no `hotWater`.
    const keys = [...deviceKeys].filter((key) => key !== "hotWater");
    assert.deepEqual(Object.keys(state ?? {}).toSorted(), keys.toSorted());
    assert.deepEqual(
      [state?.description, state?.deviceType, state?.zones, state?.rwx],
      [null, null, [], 509],
    );
    assert.deepEqual(state?.capabilities.values, ["DEVICE", "NEVER_HEARD_OF"]);
  });
});
