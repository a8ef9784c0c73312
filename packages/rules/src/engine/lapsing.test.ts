// What rules do when a hold on their device ends.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import { TestHouse } from "../testdata/house.ts";
import { scenario } from "../testdata/scenario.ts";

const [second, minute] = [1000, 60_000];
const [on, off] = [{ isOn: true }, { isOn: false }];

const dusk = {
  devices: { eye: ["MULTI_SENSOR", "LUX"], lamp: ["LIGHT", "ON_OFF"], spot: ["LIGHT", "ON_OFF"] },
  inputs: { twilight: ["eye"] },
  outputs: { lights: ["lamp", "spot"] },
  shown: { eye: { lux: 500 } },
  extras: { debounce: 0 },
} as const;
const dark = { report: { eye: { lux: 3 } } };
const bright = { report: { eye: { lux: 300 } } };
/** A person switched the lamp off, so it stays off when it gets dark. */
const kept = [{ user: { lamp: off } }, { ...dark, commands: { spot: on }, suppressed: ["lamp"] }];

scenario("acts when a person's hold ends", "TWILIGHT_LIGHT", dusk, [
  ...kept,
  { shows: "not before the end of the hold", pass: limits.holdMs - second },
  { shows: "at its end, without another event", pass: second, commands: { lamp: on } },
  { shows: "once", pass: 2 * limits.holdMs },
  {
    shows: "what the rule was not kept from stays as people left it",
    user: { lamp: off },
    pass: 2 * limits.holdMs,
  },
]);

scenario("waits for the end of a renewed hold", "TWILIGHT_LIGHT", dusk, [
  ...kept,
  { pass: limits.holdMs - minute },
  { user: { lamp: off } },
  { pass: limits.holdMs - second },
  { pass: second, commands: { lamp: on } },
]);

scenario("drops its wish when it goes idle or off", "TWILIGHT_LIGHT", dusk, [
  ...kept,
  { shows: "the rule is idle again", ...bright, commands: { spot: off }, suppressed: ["lamp"] },
  { pass: 2 * limits.holdMs },
  { user: { lamp: off } },
  { ...dark, commands: { spot: on }, suppressed: ["lamp"] },
  { shows: "the rule is off", rule: "off" },
  { pass: 2 * limits.holdMs },
]);

scenario("acts at the start when a hold ended while the hub was down", "TWILIGHT_LIGHT", dusk, [
  ...kept,
  { down: limits.holdMs, commands: { lamp: on } },
  { user: { lamp: off } },
]);

scenario("looks again after a start before it acts", "TWILIGHT_LIGHT", dusk, [
  ...kept,
  { down: limits.holdMs, resync: { eye: { lux: 300 } }, commands: { lamp: off, spot: off } },
]);

const heated = {
  devices: {
    north: ["MULTI_SENSOR", "TEMPERATURE"],
    heater: ["POWER_SOCKET", "ON_OFF"],
    panel: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { temp: ["north"] },
  outputs: { heaters: ["heater", "panel"] },
  extras: { staleMs: 1440 * minute },
} as const;

scenario("switches back at the end of a hold, whether or not it tried before", "ON_OFF_THERMOSTAT", heated, [
  { report: { north: { temperature: 25 } }, commands: { heater: off, panel: off }, pass: 5 * minute },
  { user: { panel: on }, pass: limits.holdMs - second },
  { pass: second, commands: { panel: off } },
  { report: { north: { temperature: 15 } }, commands: { heater: on, panel: on }, pass: 5 * minute },
  { user: { panel: off } },
  { report: { north: { temperature: 14 } }, suppressed: ["panel"] },
  { pass: limits.holdMs - second },
  { pass: second, commands: { panel: on } },
]);

describe("a scene", () => {
  async function movie(): Promise<{ house: TestHouse; lamp: string; scenes: readonly [string, string] }> {
    const house = await TestHouse.open();
    const lamp = await house.lamp("lamp");
    const motion = await house.addDevice("motion", "MOTION", ["MOTION"], { motion: false });
    await house.addRule("light", "MOTION_LIGHT", {
      inputs: { motion: [motion] },
      outputs: { lights: [lamp] },
    });
    const scene = (name: string) =>
      house.accept({ type: "CMD_SCENE", name, presets: { p: { targetIds: [lamp], state: off } } });
    const scenes = [await scene("movie"), await scene("night")] as const;
    await house.submit({ type: "CMD_SCENE_ON", id: scenes[0] }, "user:person");
    await house.report(motion, { motion: true });
    house.forget();
    return { house, lamp, scenes };
  }

  test("that goes off frees its devices for rules at once", async () => {
    const { house, scenes } = await movie();
    await house.submit({ type: "CMD_SCENE_OFF", id: scenes[0] }, "user:person");
    await house.clock.pass(second);
    assert.deepEqual(house.issued(), ['lamp {"isOn":true} light']);
    await house.close();
  });

  test("that follows another at once leaves no gap for a rule", async () => {
    const { house, scenes } = await movie();
    const [movie0, night] = scenes;
    const turns = [
      { type: "CMD_SCENE_OFF", id: movie0 },
      { type: "CMD_SCENE_ON", id: night },
    ];
    assert.equal((await house.hub.submit(turns, { origin: "user:person" })).accepted, true);
    await house.clock.pass(second);
    assert.deepEqual(
      house.issued().filter((told) => told.includes("true")),
      [],
    );
    await house.close();
  });
});
