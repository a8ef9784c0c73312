import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { features } from "./feature.ts";
import { featureSwitches } from "./feature-switch.ts";

const { MQTT, MODBUS, PREMIUM, BACNET } = features;
const created = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const profile = { type: "FeaturesSet", id: "h", features: [MODBUS, MQTT, PREMIUM] };
const turn = (feature: string, isOn: boolean) => ({ type: "SWITCH_FEATURE", id: "h", feature, isOn });
const turned = (feature: number, isOn: boolean) => ({ type: "FeatureSwitched", id: "h", feature, isOn });
const off = turned(MQTT, false);

test("a feature goes off and on again, each once", () => {
  const home = given([created, profile]).when(turn("MQTT", false)).then([off]);
  const { features: on, switchedOff } = home.state("hub", "h") ?? {};
  assert.deepEqual([on, switchedOff], [[MODBUS, PREMIUM], [MQTT]]);
  given([created, profile, off]).when(turn("MQTT", false)).then([]);
  const back = given([created, profile, off])
    .when(turn("MQTT", true))
    .then([turned(MQTT, true)]);
  assert.deepEqual(back.state("hub", "h")?.features, [MODBUS, MQTT, PREMIUM]);
  given([created, profile]).when(turn("MQTT", true)).then([]);
});

test("a feature that is off stays off at the next start, until the profile no longer has it", () => {
  const set = (...codes: number[]) => ({ type: "SET_FEATURES", id: "h", features: codes });
  const home = [created, profile, off];
  given(home)
    .when(set(MODBUS, MQTT, PREMIUM))
    .then([]);
  const less = given(home)
    .when(set(MODBUS))
    .then([{ type: "FeaturesSet", id: "h", features: [MODBUS] }]);
  assert.deepEqual(less.state("hub", "h")?.switchedOff, []);
  const more = given(home)
    .when(set(BACNET, MQTT))
    .then([{ type: "FeaturesSet", id: "h", features: [BACNET], off: [MQTT] }]);
  assert.deepEqual(more.state("hub", "h")?.switchedOff, [MQTT]);
});

test("an activation code turns a feature on that was off", () => {
  const code = { serial: "01", features: [MQTT], expires: testNow + 1 };
  const home = given([created, profile, off])
    .when({ type: "ACTIVATE_FEATURES", id: "h", ...code })
    .then([{ type: "FeaturesActivated", id: "h", ...code }]);
  const { features: on, switchedOff } = home.state("hub", "h") ?? {};
  assert.deepEqual([on, switchedOff], [[MODBUS, MQTT, PREMIUM], []]);
});

test("refuses features that the hub lacks, that nobody knows, and that have no switch", () => {
  const refused = (rejected: "invalid" | "wrong-state", message: string) =>
    ({ rejected, message, field: "feature" }) as const;
  const home = given([created, profile]);
  home
    .when(turn("BACNET", true))
    .then(refused("wrong-state", "this hub does not have BACNET: activate it with a code"));
  for (const name of ["MQTTT", "toString", ""])
    home.when(turn(name, false)).then(refused("invalid", `no feature ${name}`));
  home.when(turn("PREMIUM", false)).then(refused("invalid", "PREMIUM cannot be switched"));
  assert.deepEqual(
    featureSwitches({ features: [MODBUS, PREMIUM], switchedOff: [MQTT] }).map(({ feature, isOn }) => [
      feature,
      isOn,
    ]),
    [
      ["MODBUS", true],
      ["MQTT", false],
    ],
  );
});
