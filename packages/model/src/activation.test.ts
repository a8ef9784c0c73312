import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { features } from "./feature.ts";
import { limits } from "./limits.ts";

const { MODBUS, BLE, CELLULAR, EVENTS } = features;
const created = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const code = { serial: "01", features: [MODBUS], expires: testNow + 1 };
const activate = { type: "ACTIVATE_FEATURES", id: "h", ...code };
const activated = { type: "FeaturesActivated", id: "h", ...code };
const invalid = (message: string) => ({ rejected: "invalid", message, field: "code" }) as const;

test("a code adds its features to those of the profile, and keeps them when the profile changes", () => {
  const profile = { type: "FeaturesSet", id: "h", features: [BLE] };
  const home = given([created, profile]).when(activate).then([activated]);
  assert.deepEqual(home.state("hub", "h")?.features, [MODBUS, BLE]);
  given([created, profile, activated])
    .when({ type: "SET_FEATURES", id: "h", features: [EVENTS] })
    .then([{ type: "FeaturesSet", id: "h", features: [EVENTS, MODBUS] }]);
});

test("a code works once, before it expires", () => {
  given([created, activated])
    .when(activate)
    .then({ rejected: "wrong-state", message: "the activation code was used already", field: "code" });
  given([created, activated])
    .when({ ...activate, serial: "02" })
    .then([{ ...activated, serial: "02" }]);
  given([created])
    .when({ ...activate, expires: testNow })
    .then(invalid("the activation code has expired"));
});

test("refuses features that are unknown or not implemented", () => {
  given([created])
    .when({ ...activate, features: [MODBUS, 26] })
    .then(invalid("the activation code names an unknown feature: 26"));
  given([created])
    .when({ ...activate, features: [MODBUS, CELLULAR] })
    .then(invalid("this release has no function for CELLULAR"));
  given([created])
    .when({ ...activate, features: [] })
    .then(invalid("the activation code names no feature"));
});

test("remembers used codes up to the limit, until they expire", () => {
  const used = (expires: number) =>
    Array.from({ length: limits.activations }, (_, n) => ({ ...activated, serial: `s${n}`, expires }));
  given([created, ...used(testNow + 5)])
    .when(activate)
    .then(invalid(`at most ${limits.activations} activation codes are remembered`));
  const home = given([created, ...used(testNow)])
    .when(activate)
    .then([activated]);
  assert.deepEqual(home.state("hub", "h")?.usedCodes, [{ serial: "01", expires: testNow + 1 }]);
});
