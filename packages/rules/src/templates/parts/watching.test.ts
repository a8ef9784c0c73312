// Rules about any attribute: extras, groups, and what PUT /rules refuses.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TestHouse } from "../../testdata/house.ts";

const axis = { name: "x_axis", fieldType: "NUMBER", unit: "°", writable: false };
const value = (type: string, given: unknown): object => ({ type, value: given });

async function house(): Promise<{ home: TestHouse; lamp: string; shaker: string }> {
  const home = await TestHouse.open();
  const shaker = await home.addDevice("shaker", "MULTI_SENSOR", ["SELF_MOTION"]);
  const content = {
    class: "MULTI_SENSOR",
    capabilities: ["DEVICE", "SELF_MOTION"],
    manufacturer: null,
    model: null,
  };
  await home.accept({ type: "DESCRIBE_DEVICE", id: shaker, ...content, extras: {}, stateExtras: [axis] });
  return { home, lamp: await home.lamp("lamp"), shaker };
}

test("hears an extra, also through a group whose members change", async () => {
  const { home, lamp, shaker } = await house();
  const group = await home.accept({ type: "CMD_GROUP", name: "all", members: [shaker, lamp] });
  const lights = await home.accept({ type: "CMD_GROUP", name: "lights", members: [lamp] });
  await home.addRule("tilt", "NUMBER_LIMIT", {
    inputs: { watched: [group] },
    outputs: { targets: [lights] },
    extras: { attribute: [value("ATTRIBUTE", "extras.x_axis")], limit: [value("NUMBER", 45)] },
  });
  home.forget();
  await home.report(shaker, { "extras.x_axis": 60 });
  await home.clock.pass(1000);
  assert.deepEqual(home.issued(), ['lamp {"isOn":true} tilt']);
  home.forget();
  await home.report(shaker, { "extras.x_axis": 10 });
  assert.deepEqual(home.issued(), ['lamp {"isOn":false} tilt']);
  home.forget();
  await home.accept({ type: "CMD_GROUP", id: group, members: [lamp] });
  await home.report(shaker, { "extras.x_axis": 80 });
  await home.clock.pass(1000);
  assert.deepEqual(home.issued(), [], "no longer a member");
  await home.close();
});

describe("PUT /rules", () => {
  for (const [what, configType, extras, field] of [
    ["an unknown attribute", "NUMBER_LIMIT", { attribute: "hullabaloo", limit: 1 }, "extras.attribute.0"],
    ["a boolean as a number", "NUMBER_LIMIT", { attribute: "open", limit: 1 }, "extras.attribute.0"],
    ["a number as a boolean", "TRUTH_FOR", { attribute: "humidity" }, "extras.attribute.0"],
    ["a boolean as a text", "TEXT_ONE_OF", { attribute: "isOn", words: "x" }, "extras.attribute.0"],
    ["no attribute", "TRUTH_FOR", {}, "extras.attribute"],
    ["an attribute that is no name", "TRUTH_FOR", { attribute: 5 }, "extras.attribute.0"],
    ["no limit", "NUMBER_LIMIT", { attribute: "humidity" }, "extras.limit"],
    ["no words", "TEXT_ONE_OF", { attribute: "mode" }, "extras.words"],
  ] as const)
    test(`refuses ${what} for ${configType}`, async () => {
      const { home, lamp, shaker } = await house();
      const types: Readonly<Record<string, string>> = {
        attribute: "ATTRIBUTE",
        limit: "NUMBER",
        words: "STRING",
      };
      const given = Object.entries(extras).map(
        ([name, each]) => [name, [value(types[name] ?? "", each)]] as const,
      );
      const of = { inputs: { watched: [shaker] }, outputs: { targets: [lamp] } };
      const config = home.configOf("x", configType, { ...of, extras: Object.fromEntries(given) });
      const outcome = await home.hub.submit({ type: "SET_RULE", config });
      assert.ok(!outcome.accepted);
      assert.equal(outcome.rejection.field, field);
      await home.close();
    });

  test("refuses a rule that would do nothing", async () => {
    const { home, shaker } = await house();
    const of = { inputs: { watched: [shaker] }, extras: { attribute: [value("ATTRIBUTE", "motion")] } };
    const outcome = await home.hub.submit({
      type: "SET_RULE",
      config: home.configOf("x", "TRUTH_FOR", of),
    });
    assert.ok(!outcome.accepted);
    assert.equal(outcome.rejection.field, "outputs.targets");
    await home.close();
  });
});
