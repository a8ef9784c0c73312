import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CommandIssued, LoggedEvent, RuleConfig } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { addLamp, contentOf, openTestKernel } from "@ledge/testkit";
import { kernelParts } from "../start/kernel-parts.ts";
import { removedFromRules } from "./rules.ts";

interface Hall extends TestKernel {
  readonly sensors: readonly [string, string];
  readonly lamp: string;
  readonly rule: string;
  readonly report: (id: string, attributes: object) => Promise<void>;
  /** The state that the lamp was set to last. */
  readonly told: () => unknown;
}

const timeoutMs = 60_000;

/** A hall with all reactions of the hub. Its lamp is on while there is motion, and there is motion. */
async function hall(): Promise<Hall> {
  const { aggregates, reactions } = kernelParts;
  const hub = openTestKernel({ aggregates, reactions });
  await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  hub.kernel.settled();
  const report = async (id: string, attributes: object): Promise<void> => {
    await hub.submit({ type: "REPORT_DEVICE", id, attributes, at: hub.clock.now() }, { origin: "device" });
    await hub.clock.pass(10);
  };
  const add = async (native: string, content: object, shown: object): Promise<string> => {
    const where = { protocol: "sim", native, radio: "sim" };
    const id = await hub.accept({ type: "ADD_DEVICE", name: native, ...where, ...content });
    await report(id, { reachable: true, ...shown });
    return id;
  };
  const motion = contentOf("MOTION", ["DEVICE", "MOTION"]);
  const sensors = [
    await add("m1", motion, { motion: false }),
    await add("m2", motion, { motion: false }),
  ] as const;
  const lamp = await add("lamp", contentOf("LIGHT", ["DEVICE", "ON_OFF"]), { isOn: false });
  const extras = { timeout: [{ type: "TIME_DELTA_MS", value: timeoutMs }] };
  const config = {
    type: "CONFIG",
    name: "Hall",
    configType: "MOTION_LIGHT",
    inputs: { motion: sensors, lux: [] },
    outputs: { lights: [lamp] },
    extras,
  };
  const rule = await hub.accept({ type: "SET_RULE", config });
  await hub.accept({ type: "RULE_ON_COMMAND", id: rule });
  await report(sensors[0], { motion: true });
  await report(lamp, { isOn: true });
  const told = (): unknown => {
    const events = [...hub.kernel.log.read()].flatMap((commit) => commit.events);
    const issued = events.findLast(({ type }) => type === "CommandIssued");
    return (issued as LoggedEvent<CommandIssued> | undefined)?.attributes;
  };
  assert.deepEqual(told(), { isOn: true });
  return { ...hub, sensors, lamp, rule, report, told };
}

describe("a rule whose CONFIG changes", () => {
  test("keeps its run when only the name changes", async () => {
    const { kernel, accept, clock, sensors, rule, report, told } = await hall();
    await report(sensors[0], { motion: false });
    const config = { ...(kernel.get("rule", rule)?.config as RuleConfig), name: "Corridor" };
    const [run, timers] = [kernel.get("ruleRun", rule), [...kernel.all("timer")]];
    await accept({ type: "SET_RULE", config });
    assert.equal(kernel.get("rule", rule)?.config.name, "Corridor");
    assert.deepEqual([kernel.get("ruleRun", rule), [...kernel.all("timer")]], [run, timers]);
    await clock.pass(timeoutMs);
    assert.deepEqual(told(), { isOn: false });
  });

  test("finishes what it has begun when one of its devices is removed", async () => {
    const { kernel, accept, clock, sensors, rule, told } = await hall();
    await accept({ type: "REMOVE_DEVICE", id: sensors[0] });
    assert.deepEqual(kernel.get("rule", rule)?.config.inputs["motion"], [sensors[1]]);
    await clock.pass(timeoutMs + 1000);
    assert.deepEqual(told(), { isOn: false });
  });
});

test("a rule over a group keeps running when a member is removed, and drops a removed group", async () => {
  const { kernel, accept, clock, sensors, rule, told } = await hall();
  const group = await accept({ type: "CMD_GROUP", name: "Sensors", members: sensors });
  const { config } = kernel.get("rule", rule) ?? {};
  const inputs = { ...config?.inputs, motion: [group] };
  // The devices are the same as before, so the run continues.
  const run = kernel.get("ruleRun", rule);
  await accept({ type: "SET_RULE", config: { ...config, inputs } });
  assert.deepEqual(kernel.get("ruleRun", rule), run);
  await accept({ type: "REMOVE_DEVICE", id: sensors[0] });
  assert.deepEqual(kernel.get("rule", rule)?.config.inputs["motion"], [group]);
  await clock.pass(timeoutMs + 1000);
  assert.deepEqual(told(), { isOn: false });
  await accept({ type: "REMOVE_GROUP", id: group });
  assert.deepEqual(kernel.get("rule", rule)?.config.inputs["motion"], []);
});

test("a removed device or scene is cleared from rules in the same commit", async () => {
  const hub = openTestKernel({ reactions: [removedFromRules] });
  const lamp = await hub.accept(addLamp());
  const scene = await hub.accept({ type: "CMD_SCENE", name: "Evening" });
  const extras = { scene: [{ type: "SCENE", value: scene }] };
  const config = {
    type: "CONFIG",
    name: "Rule",
    configType: "X",
    inputs: { a: [lamp] },
    outputs: { b: [lamp] },
    extras,
  };
  const rule = await hub.accept({ type: "SET_RULE", config });
  await hub.accept({ type: "REMOVE_DEVICE", id: lamp });
  const shown = (): unknown => hub.kernel.get("rule", rule)?.config;
  const common = { ...config, id: rule, inputs: { a: [] }, outputs: { b: [] } };
  assert.deepEqual(shown(), common);
  await hub.accept({ type: "REMOVE_SCENE", id: scene });
  assert.deepEqual(shown(), { ...common, extras: { scene: [] } });
});
