import assert from "node:assert/strict";
import { test } from "node:test";
import { features, isRejection, limits } from "@ledge/model";
import { lengthHash, TestHouse } from "../testdata/house.ts";
import { installing } from "./installing.ts";

const minute = 60_000;

/** A custom rule that switches its lamps whenever a lamp that it hears changes, and notifies people. */
function echoing(configType: string, isInverted: boolean): string {
  const value = { var: "in.heard.value" };
  const actions = [
    { type: "cmd", params: { output: "lamps", op: "isOn", value: isInverted ? { "!": [value] } : value } },
    { type: "notify", params: { text: "lamp {in.heard.device} has changed" } },
  ];
  return JSON.stringify({
    type: "CUSTOM_RULE",
    configType,
    template: {
      type: "TEMPLATE",
      category: "CUSTOM_RULE",
      configType,
      name: configType,
      summary: "Switches its lamps with those that it hears",
      description: "Switches its lamps with those that it hears.",
      priority: 50,
      icon: "lamp",
      inputs: {
        heard: { type: "INPUT", capabilities: ["ON_OFF"], minCount: 1, maxCount: 4, description: "Heard" },
      },
      outputs: { lamps: { capabilities: ["ON_OFF"], minCount: 1, maxCount: 4 } },
      extras: {},
    },
    machine: {
      id: "echo",
      initial: "on",
      context: {},
      states: {
        on: {
          on: {
            "in.heard": { guard: { type: "expr", params: { expr: { var: "in.heard.news" } } }, actions },
          },
        },
      },
    },
  });
}

/** A home where two custom rules trigger each other: one inverts what it hears, the other copies it. */
async function twoOfThem(): Promise<TestHouse> {
  const house = await TestHouse.open();
  await house.accept({ type: "SET_FEATURES", id: house.hubId, features: [features.CUSTOM_RULES] });
  for (const [type, isInverted] of [
    ["CUSTOM_INVERT", true],
    ["CUSTOM_COPY", false],
  ] as const) {
    const command = installing(echoing(type, isInverted), lengthHash);
    assert.ok(!isRejection(command), JSON.stringify(command));
    await house.accept({ ...command });
  }
  const [one, two, first] = [
    await house.lamp("one", true),
    await house.lamp("two", true),
    await house.lamp("first"),
  ] as const;
  await house.addRule("inverting", "CUSTOM_INVERT", {
    inputs: { heard: [one, first] },
    outputs: { lamps: [two] },
  });
  await house.addRule("copying", "CUSTOM_COPY", { inputs: { heard: [two] }, outputs: { lamps: [one] } });
  house.forget();
  // A hand-switched lamp is held for a while, so the device that starts this is outside the loop.
  await house.report(first, { isOn: true });
  await house.clock.pass(minute);
  return house;
}

test("stops one of two custom rules that trigger each other, with an alarm that says why", async () => {
  const house = await twoOfThem();
  const stopped = house.events.filter(({ type }) => type === "RuleStopped");
  assert.deepEqual(
    stopped.map((event) => (event as unknown as { reason: string }).reason),
    ["loop"],
  );
  const id = stopped[0]?.id ?? "";
  assert.equal(house.kernel.get("rule", id)?.is_on, false);
  assert.equal(house.kernel.get("alarm", `RULE_STOPPED-${id}`)?.facts["reason"], "loop");
  assert.ok(house.issued().length <= limits.cascadeDepth, house.issued().join("\n"));
  assert.ok(Math.max(...house.events.map(({ depth }) => depth)) <= limits.cascadeDepth + 1);
});

test("bounds the messages of a loop, and no message triggers a rule", async () => {
  const house = await twoOfThem();
  const sources = new Map<string, number>();
  for (const [, { sourceId }] of house.kernel.all("message"))
    sources.set(sourceId, (sources.get(sourceId) ?? 0) + 1);
  assert.ok(sources.size > 0, "the rules have sent messages");
  for (const [source, count] of sources) assert.ok(count <= limits.messageBurst, `${source} ${count}`);
  const before = house.events.length;
  await house.clock.pass(10 * minute);
  const after = house.events
    .slice(before)
    .filter(({ type }) => /^(?:RuleStepped|CommandIssued|RuleSaid)$/.test(type));
  assert.deepEqual(after, []);
});
