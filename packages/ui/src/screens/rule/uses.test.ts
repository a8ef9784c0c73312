import assert from "node:assert/strict";
import { test } from "node:test";
import { openRuleHome } from "@ledge/testkit/templates";
import { attributesFor, groupsOf } from "./uses.ts";

test("every template of the hub is for something, and stands in one group", async () => {
  const templates = (await openRuleHome()).templates("de");
  const groups = groupsOf(templates);
  const shown = groups.flatMap(([, found]) => found.map(({ configType }) => configType));
  assert.deepEqual(shown.toSorted(), templates.map(({ configType }) => configType).toSorted());
  const names = groups.map(([use]) => use);
  assert.ok(!names.includes("other") && !names.includes("own"), names.join());
  const [, lights] = groups[0] ?? [];
  assert.equal(lights?.[0]?.configType, "MOTION_LIGHT");
});

test("templates that it does not know, and custom ones, have groups of their own", async () => {
  const [known] = (await openRuleHome()).templates("en");
  assert.ok(known);
  const own = { ...known, configType: "CUSTOM_A", category: "CUSTOM_RULE" as const };
  assert.deepEqual(
    groupsOf([own, { ...known, configType: "LATER" }]).map(([use]) => use),
    ["other", "own"],
  );
});

test("offers the attributes of devices that a template can watch", () => {
  const states = [
    {
      type: "X",
      reachable: true,
      temperature: 21,
      isOn: true,
      mode: "auto",
      extras: { x_axis: { value: 3 }, moved: { value: true }, later: { value: null } },
    },
    { type: "Y", temperature: null, humidity: 40, extras: null },
  ];
  assert.deepEqual(attributesFor("NUMBER_LIMIT", states), ["extras.x_axis", "humidity", "temperature"]);
  assert.deepEqual(attributesFor("TRUTH_FOR", states), ["extras.moved", "isOn"]);
  assert.deepEqual(attributesFor("TEXT_ONE_OF", states), [
    "extras.x_axis",
    "humidity",
    "mode",
    "temperature",
  ]);
  assert.deepEqual(attributesFor("NUMBER_LIMIT", []), []);
});
