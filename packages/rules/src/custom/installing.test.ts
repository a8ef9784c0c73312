import assert from "node:assert/strict";
import { test } from "node:test";
import { features, isRejection, limits } from "@ledge/model";
import { catalogue } from "../templates/index.ts";
import { lengthHash, TestHouse } from "../testdata/house.ts";
import { offeredTemplates } from "../catalogue/config.ts";
import { installing } from "./installing.ts";
import { changed, stairsSource } from "./test-sources.ts";

const configType = "CUSTOM_STAIRS";

async function install(house: TestHouse, source: string): Promise<void> {
  const command = installing(source, lengthHash);
  assert.ok(!isRejection(command), JSON.stringify(command));
  await house.accept({ ...command });
}

/** Returns why a source is refused. */
async function refused(house: TestHouse, command: object): Promise<string> {
  const outcome = await house.hub.submit(command as { type: string });
  assert.ok(!outcome.accepted);
  return outcome.rejection.message;
}

interface Stairs {
  readonly house: TestHouse;
  readonly sensor: string;
  readonly lamp: string;
  readonly rule: string;
}

async function stairs(source = stairsSource): Promise<Stairs> {
  const house = await TestHouse.open({ at: "2026-01-05T20:00:00+02:00" });
  await house.accept({ type: "SET_FEATURES", id: house.hubId, features: [features.CUSTOM_RULES] });
  await install(house, source);
  const sensor = await house.addDevice("hall", "MOTION", ["MOTION"], { motion: false });
  const lamp = await house.lamp("lamp");
  const rule = await house.addRule("stairs", configType, {
    inputs: { motion: [sensor] },
    outputs: { lights: [lamp] },
  });
  house.forget();
  return { house, sensor, lamp, rule };
}

test("an installed rule drives its lamps, sets timers, logs and notifies", async () => {
  const { house, sensor, lamp, rule } = await stairs();
  await house.report(sensor, { motion: true });
  assert.deepEqual(house.issued(), ['lamp {"isOn":true,"brightness":1} stairs']);
  assert.equal(house.device(lamp).state["isOn"], true);
  await house.report(sensor, { motion: false });
  await house.clock.pass(60_000);
  assert.equal(house.device(lamp).state["brightness"], 0.1);
  await house.restart();
  await house.clock.pass(10_000);
  assert.equal(house.device(lamp).state["isOn"], false);
  const said = house.events.flatMap((event) =>
    event.type === "RuleSaid" ? [(event as unknown as { text: string }).text] : [],
  );
  assert.deepEqual(said.slice(0, 1), ["time 1 by hall"]);
  assert.equal(house.kernel.get("alarm", `CUSTOM_NOTICE-${rule}`)?.facts["text"], "dark again");
  assert.equal(house.counts()["RuleFaulted"], undefined);
});

test("keeps the source byte for byte, with its hash, through a restart", async () => {
  const odd = `\n\t ${stairsSource.replace('"name": "Stairs"', String.raw`"name"  :  "Tr\u00e4ppe ä 🪜 \ud83e"`)}\r\n  `;
  const { house } = await stairs(odd);
  await house.restart();
  const kept = house.kernel.get("customRule", configType);
  assert.equal(kept?.source, odd);
  assert.equal(kept?.hash, lengthHash(odd));
  assert.equal(kept?.version, 1);
  assert.equal(catalogue.template(configType, house.kernel)?.texts.de.name, "Träppe ä 🪜 \ud83e");
});

test("offers the rule as a TEMPLATE while the hub has the feature", async () => {
  const { house } = await stairs();
  const shown = offeredTemplates(catalogue, house.kernel, "en").find(
    ({ category }) => category === "CUSTOM_RULE",
  );
  assert.equal(shown?.configType, configType);
  assert.equal(shown.extras["timeout"]?.defaultValue, 60_000);
  const none = await TestHouse.open();
  await install(none, stairsSource);
  assert.ok(
    offeredTemplates(catalogue, none.kernel, "en").every(({ category }) => category === "FACTORY_RULE"),
  );
});

test("installing the same source again changes nothing", async () => {
  const { house } = await stairs();
  await install(house, stairsSource);
  assert.equal(house.counts()["CustomRuleInstalled"], undefined);
});

test("a new version continues the rules where they are, timers included", async () => {
  const { house, sensor, lamp, rule } = await stairs();
  await house.report(sensor, { motion: true });
  await house.report(sensor, { motion: false });
  await house.clock.pass(30_000);
  const brighter = changed("machine/states/lit/states/dim/entry", {
    type: "cmd",
    params: { output: "lights", op: "brightness", value: 0.3 },
  });
  await install(house, brighter.replaceAll('"brightness": 0.1', '"brightness": 0.3'));
  assert.equal(house.kernel.get("ruleRun", rule)?.templateVersion, 1);
  await house.clock.pass(30_000);
  assert.equal(house.device(lamp).state["brightness"], 0.3);
  assert.equal(house.kernel.get("ruleRun", rule)?.templateVersion, 2);
  assert.deepEqual(house.kernel.get("ruleRun", rule)?.context, { count: 1 });
  assert.equal(house.kernel.get("alarm", `RULE_BEGAN_ANEW-${rule}`), undefined);
});

test("a new version restarts rules whose state it does not have", async () => {
  const { house, sensor, lamp, rule } = await stairs();
  await house.report(sensor, { motion: true });
  await house.report(sensor, { motion: false });
  assert.equal(house.kernel.size("timer"), 1);
  const without = changed("machine/states/lit/states/bright/after", { "5000": "dim" });
  await install(house, without.replace(/"tests": [^]*/, '"tests": []}'));
  assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "dark" });
  assert.equal(house.kernel.size("timer"), 0);
  assert.equal(
    house.device(lamp).state["isOn"],
    false,
    "the rule left its state and so turned its lamps off",
  );
  await house.report(sensor, { motion: true });
  await house.clock.pass(5000);
  assert.equal(house.device(lamp).state["brightness"], 0.1);
});

test("refuses a version that does not fit a rule, and names the rule", async () => {
  const { house } = await stairs();
  const wider = installing(
    changed("template/inputs/lux/minCount", 1).replace(/"tests": [^]*/, '"tests": []}'),
    lengthHash,
  );
  assert.match(
    await refused(house, wider),
    /the rule stairs \(.+\) would not fit: inputs.lux: at least 1 wanted/,
  );
  assert.equal(house.kernel.get("customRule", configType)?.version, 1);
});

test("refuses to remove a custom rule that rules use, and names them", async () => {
  const { house, rule } = await stairs();
  const remove = { type: "REMOVE_CUSTOM_RULE", id: configType };
  assert.match(await refused(house, remove), new RegExp(`1 rules use it: stairs \\(${rule}\\)`));
  await house.accept({ type: "REMOVE_RULE", id: rule });
  await house.accept(remove);
  assert.equal(house.kernel.size("customRule"), 0);
  assert.match(await refused(house, remove), /no custom rule CUSTOM_STAIRS/);
  await house.restart();
  assert.equal(house.kernel.size("customRule"), 0);
});

test("checks a source that is submitted to the kernel directly", async () => {
  const house = await TestHouse.open();
  const bad = { type: "INSTALL_CUSTOM_RULE", id: configType, hash: "" };
  assert.match(await refused(house, { ...bad, source: "{}" }), /must be CUSTOM_RULE/);
  assert.match(
    await refused(house, { ...bad, id: "CUSTOM_OTHER", source: stairsSource }),
    /must be CUSTOM_STAIRS/,
  );
  await house.accept({ ...bad, hash: "made up", source: stairsSource });
  assert.notEqual(house.kernel.get("customRule", configType)?.hash, "made up");
});

test("limits the number of custom rules", async () => {
  const house = await TestHouse.open();
  for (let index = 0; index < limits.customRules; index++)
    await install(house, stairsSource.replaceAll(configType, `CUSTOM_S${index}`));
  assert.match(await refused(house, installing(stairsSource, lengthHash)), /at most 20 custom rules/);
  await install(house, stairsSource.replaceAll(configType, "CUSTOM_S0").replace("Stairs", "Steps"));
});

test("stops a rule that logs too often", async () => {
  const chatty = changed("machine/states/dark/entry", { type: "log", params: { text: "hm" } });
  const { house, sensor, rule } = await stairs(
    chatty
      .replace('"in.motion": [', '"in.motion": [{"target": "dark", "reenter": true},')
      .replace(/"tests": [^]*/, '"tests": []}'),
  );
  for (let index = 0; index <= limits.ruleFiringsPerMinute; index++)
    await house.report(sensor, { motion: index % 2 === 0 });
  assert.equal(house.kernel.get("rule", rule)?.is_on, false);
  assert.equal(house.kernel.get("alarm", `RULE_STOPPED-${rule}`)?.facts["reason"], "too many commands");
});

test("warns of a rule that works too much on average, then stops it", async () => {
  const sum = { "+": Array.from({ length: limits.expressionOperands }, () => 1) };
  const expr = { and: Array.from({ length: 40 }, () => ({ "<": [sum, 0] })) };
  const guard = { type: "expr", params: { expr } };
  const busy = JSON.parse(changed("machine/states/dark", { always: { guard, target: "lit" } })) as object;
  const { house, sensor, rule } = await stairs(JSON.stringify({ ...busy, tests: [] }));
  const step = async (): Promise<void> => {
    const { motion } = house.device(sensor).state;
    await house.report(sensor, { motion: motion !== true });
  };
  for (let index = 0; index < limits.ruleMeanSteps; index++) await step();
  assert.ok(house.kernel.get("alarm", `RULE_WORKS_HARD-${rule}`), "people are warned first");
  assert.equal(house.kernel.get("rule", rule)?.is_on, true);
  for (let index = 0; index < limits.ruleMeanSteps; index++) await step();
  assert.equal(house.kernel.get("rule", rule)?.is_on, false);
  assert.equal(house.kernel.get("alarm", `RULE_STOPPED-${rule}`)?.facts["reason"], "too much work");
});

test("stops a rule whose timers fire too often, though it commands nothing", async () => {
  const ticking = { initial: "a", states: { a: { after: { "100": "b" } }, b: { after: { "100": "a" } } } };
  const source = JSON.parse(changed("machine", ticking)) as object;
  const { house, rule } = await stairs(JSON.stringify({ ...source, tests: [] }));
  await house.clock.pass(limits.ruleTimersPerMinute * 100);
  assert.equal(house.kernel.get("rule", rule)?.is_on, true, "this rate is still allowed");
  await house.clock.pass(100);
  assert.equal(house.kernel.get("rule", rule)?.is_on, false);
  assert.equal(house.kernel.get("alarm", `RULE_STOPPED-${rule}`)?.facts["reason"], "too much work");
  assert.equal(house.kernel.size("timer"), 0);
});

test("counts all the timers that one timer sets again", async () => {
  const region = { initial: "waiting", states: { waiting: { after: { "100000": "done" } }, done: {} } };
  const regions = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`r${index}`, region]));
  const again = { "1000": { target: "all", reenter: true } };
  const states = { all: { type: "parallel", after: again, states: regions } };
  const source = JSON.parse(changed("machine", { initial: "all", states })) as object;
  const { house, rule } = await stairs(JSON.stringify({ ...source, tests: [] }));
  const ticks = Math.floor(limits.ruleTimersPerMinute / 21);
  await house.clock.pass(ticks * 1000);
  assert.equal(house.kernel.get("rule", rule)?.is_on, true);
  await house.clock.pass(1000);
  assert.equal(house.kernel.get("rule", rule)?.is_on, false);
});
