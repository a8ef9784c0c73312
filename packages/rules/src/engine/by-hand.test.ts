import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestKernel } from "@ledge/testkit";
import { RuleEngine } from "../engine.ts";
import { TestHouse } from "../testdata/house.ts";
import { catalogue } from "../templates/index.ts";

test("a key of a remote control holds a lamp against a motion light like a person would", async () => {
  const hub = openTestKernel({ reactions: new RuleEngine(catalogue).reactions });
  await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  const add = (name: string, type: string, capabilities: readonly string[]): Promise<string> => {
    const what = {
      class: type,
      capabilities: ["DEVICE", ...capabilities],
      manufacturer: null,
      model: null,
      extras: {},
    };
    return hub.accept({ type: "ADD_DEVICE", name, protocol: "sim", native: name, radio: "sim", ...what });
  };
  const [lamp, motion, remote] = [
    await add("lamp", "LIGHT", ["ON_OFF", "BRIGHTNESS"]),
    await add("motion", "MOTION", ["MOTION"]),
    await add("remote", "REMOTE_CONTROL", ["REMOTE_CONTROL"]),
  ];
  const rule = async (configType: string, inputs: object): Promise<string> => {
    const outputs = { lights: [lamp] };
    const config = { type: "CONFIG", name: configType, configType, inputs, outputs, extras: {} };
    const id = await hub.accept({ type: "SET_RULE", config });
    await hub.accept({ type: "RULE_ON_COMMAND", id });
    return id;
  };
  const keys = await rule("REMOTE_CONTROL", { remote: [remote] });
  await rule("MOTION_LIGHT", { motion: [motion], lux: [] });
  const report = async (id: string, attributes: object): Promise<void> => {
    await hub.submit({ type: "REPORT_DEVICE", id, attributes, at: hub.clock.now() }, { origin: "device" });
    await hub.clock.pass(1000);
  };
  await report(lamp, { reachable: true, isOn: true });
  await report(remote, { button: 2 });
  const told = [...hub.kernel.log.read()]
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === "CommandIssued");
  assert.equal(told.length, 1, "the key turns the lamp off");
  assert.equal(hub.kernel.get("output", lamp)?.holds["isOn"]?.by, `rule:${keys}`);
  await report(lamp, { isOn: false });
  await report(motion, { motion: true });
  const types = [...hub.kernel.log.read()].flatMap(({ events }) => events.map(({ type }) => type));
  assert.ok(types.includes("CommandSuppressed"));
  assert.equal(types.filter((type) => type === "CommandIssued").length, 1);
});

test("a person who stops a cover holds its movements against rules", async () => {
  const house = await TestHouse.open();
  const blind = await house.addDevice("blind", "BLINDS", ["ON_OFF", "BLINDS", "COVER_STOP"]);
  const source = [await house.lamp("lamp")];
  await house.addRule("bind", "BIND_ON_OFF", { inputs: { source }, outputs: { targets: [blind] } });
  await house.submit({ type: "CMD_DEVICE", id: blind, state: { stop: true } }, "user:person");
  const holds = house.kernel.get("output", blind)?.holds ?? {};
  for (const name of ["position", "liftPct", "tiltPct"]) assert.equal(holds[name]?.by, "user:person", name);
  await house.close();
});
