import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { RuleTemplate } from "@ledge/model";
import { catalogue } from "@ledge/rules";
import { eventually, ledge, temporaryFolder, TestHome } from "../testdata/hub-process.ts";

const profiles = temporaryFolder();
after(() => profiles.remove());
const sim = new URL("../../../../firmware-profiles/sim.json", import.meta.url);
const profile = join(profiles.path, "sim.json");
const extended = { features: ["VIDEO_SERVICE", "SPOT_PRICES"] };
writeFileSync(profile, JSON.stringify({ ...(JSON.parse(readFileSync(sim, "utf8")) as object), ...extended }));

const home = new TestHome("--profile", profile);

interface Shown {
  readonly id: string;
  readonly is_on: boolean;
}

async function put(config: object, onConfiguration: object = {}): Promise<Shown> {
  const rule = { type: "CONFIG", id: null, name: "Rule", inputs: {}, outputs: {}, extras: {}, ...config };
  const { status, json } = await home.call("PUT", "/rules", { rules: [rule], onConfiguration });
  assert.equal(status, 200, JSON.stringify(json));
  return (json as [Shown])[0];
}

test("lists the templates in four languages", async () => {
  const names = new Set<string>();
  const offered = catalogue.templates.filter(({ internal }) => !internal).map(({ configType }) => configType);
  for (const language of ["en", "fi", "sv", "de"]) {
    const response = await fetch(`${home.hub.address}/cc/1.14/rules/templates`, {
      headers: { authorization: home.key, "accept-language": language },
    });
    const templates = (await response.json()) as RuleTemplate[];
    assert.deepEqual(
      templates.map(({ configType }) => configType),
      offered,
    );
    for (const { name, configType } of templates) names.add(`${configType} ${name}`);
  }
  assert.ok(names.size >= 4 * offered.length - 10, "some words are the same in two languages, most are not");
});

test("a killed hub still turns off a lamp that a rule had timed, once", async () => {
  const { id } = await home.device("Floor lamp");
  const outputs = { devices: [id] };
  const extras = { after: [{ type: "TIME_DELTA_MS", value: 4000 }] };
  const rule = await put({ configType: "AUTO_OFF", outputs, extras });
  await home.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id: rule.id }]);
  await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  await home.device("Floor lamp", ({ state }) => state["isOn"] === true);
  await home.hub.kill();
  await home.start();
  await home.device("Floor lamp", ({ state }) => state["isOn"] === false);
  const { stdout } = await ledge("events", "tail", "--once", "--data", home.folder);
  const told = stdout
    .split("\n")
    .filter((line) => line.includes("CommandIssued") && line.includes(`[rule:${rule.id}]`));
  assert.equal(told.length, 1, told.join("\n"));
});

test("a scene turns on the rules that list it, and the poll shows it", async () => {
  const { id } = await home.device("Floor lamp");
  const scene = (await home.call("PUT", "/scenes", [{ type: "CMD_SCENE", name: "Evening" }])).json as [Shown];
  const rule = await put({ configType: "AUTO_OFF", outputs: { devices: [id] } }, { scenes: [scene[0].id] });
  assert.equal(rule.is_on, false);
  const poll = (ts: number): ReturnType<TestHome["call"]> => home.call("GET", `/hub/poll?ts=${ts}`);
  const { timestamp } = (await poll(0)).json as { timestamp: number };
  await home.call("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id: scene[0].id }]);
  const shown = await eventually("the rule in the poll", async () => {
    const { polls } = (await poll(timestamp)).json as {
      polls: { type: string; rules?: Record<string, Shown> }[];
    };
    return polls.find(({ type }) => type === "RULE_DELTA")?.rules?.[rule.id];
  });
  assert.equal(shown.is_on, true);
});

test("refuses a rule that does not fit its template, and names the field", async () => {
  const { id } = await home.device("Floor lamp");
  const config = { type: "CONFIG", id: null, name: "No", configType: "MOTION_LIGHT", extras: {} };
  const rules = [{ ...config, inputs: { motion: [id], lux: [] }, outputs: { lights: [id] } }];
  const { status, json } = await home.call("PUT", "/rules", { rules });
  assert.equal(status, 422);
  assert.equal((json as { errors: { field: string }[] }).errors[0]?.field, "rules.0.inputs.motion.0");
});
