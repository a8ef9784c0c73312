import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ConfigurationValues } from "@ledge/model";
import { itemsProblem } from "@ledge/model";
import { type AdapterClock, systemClock } from "@ledge/port";
import { plans, rawCommand } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "../test-rig.ts";
import { quietMs } from "./configurations.ts";

describe("the settings of a dimmer", () => {
  let home: Rig;
  let native = "";
  let lampNode = 0;
  let sleeper = "";
  /** What waits for the end of a device's talk, while it is held. */
  const held: (() => void)[] = [];
  let isHeld = false;
  const clock: AdapterClock = {
    ...systemClock,
    after(ms, act) {
      if (!isHeld || ms !== quietMs) return systemClock.after(ms, act);
      held.push(act);
      return () => {};
    },
  };
  before(async () => {
    home = await startRig([], { clock });
    sleeper = await home.pair(plans.radiatorValve());
    await home.pair(plans.lamp());
    lampNode = home.stick.nodeIds.at(-1) ?? 0;
    native = await home.pair(plans.dimmerWithSettings());
  });
  after(() => home.close());

  const described = () => {
    const { configuration } = home.announced.findLast((device) => device.native === native) ?? {};
    return configuration ?? assert.fail("no settings");
  };
  const item = (name: string) =>
    described().items.find((each) => each.name === name) ?? assert.fail(`no ${name}`);
  const values = (): ConfigurationValues => described().values ?? {};
  const set = (parameters: ConfigurationValues) =>
    home.ask({ type: "SET_CONFIGURATION", native, parameters });

  test("are those of the device database, with what the device says of each", () => {
    assert.ok(
      home.announced.findLast((each) => each.native === native)?.capabilities.includes("CONFIGURABLE"),
    );
    assert.equal(itemsProblem(described().items), undefined);
    assert.deepEqual(item("parameter.2"), {
      name: "parameter.2",
      fieldType: "OPTION",
      label: { en: "Dimming Mode" },
      help: null,
      defaultValue: 1,
      options: [
        { value: 0, label: { en: "Leading edge" } },
        { value: 1, label: { en: "Trailing edge" } },
        { value: 2, label: { en: "On/Off only" } },
      ],
      minValue: null,
      maxValue: null,
      readOnly: false,
    });
    const { fieldType, label, minValue, maxValue } = item("parameter.7");
    assert.deepEqual(
      [fieldType, label.en, minValue, maxValue],
      ["NUMBER", "Dimming Step Time (Manual) (10 ms)", 0, 255],
    );
    assert.deepEqual([item("parameter.15.2").fieldType, values()["parameter.15.2"]], ["BOOL", false]);
    assert.deepEqual([item("parameter.64").readOnly, values()["parameter.64"]], [true, 230]);
    assert.deepEqual([item("association.1").readOnly, item("association.5").readOnly], [true, false]);
    assert.equal(values()["parameter.4"], 10);
  });

  test("take a value when the device keeps it", async () => {
    await set({ "parameter.4": 3, "parameter.2": 2 });
    assert.deepEqual([values()["parameter.4"], values()["parameter.2"]], [3, 2]);
    const read = await home.command("ZWAVE_UI_GET_CONFIGURATION", {
      nodeId: native.split("/")[1],
      parameter: 4,
    });
    assert.equal(read["value"], 3);
  });

  test("keep the other parts of a parameter", async () => {
    await set({ "parameter.15.2": true });
    await set({ "parameter.15.8": true, "parameter.15.1": true });
    const parts = [1, 2, 4, 8].map((mask) => values()[`parameter.15.${mask}`]);
    assert.deepEqual(parts, [true, true, false, true]);
  });

  test("name a value that the device does not keep", async () => {
    await assert.rejects(set({ "parameter.10": 7 }), /parameter\.10: the device keeps 1/);
    assert.equal(values()["parameter.10"], 1);
  });

  test("refuse what cannot be set, and then set nothing", async () => {
    assert.equal(await codeOf(set({ "parameter.64": 1, "parameter.4": 5 })), "refused");
    assert.equal(await codeOf(set({ "parameter.4": 5, "association.5": "lamp" })), "refused");
    await assert.rejects(set({ "association.5": "77" }), /names node 77, which is not in the network/);
    await assert.rejects(set({ "association.5": "2 2.1 2.2 2.3 2.4 2.5" }), /has at most 5 nodes/);
    assert.equal(await codeOf(set({ "parameter.999": 1 })), "unsupported");
    assert.equal(values()["parameter.4"], 3);
  });

  test("list the nodes of a group", async () => {
    await set({ "association.5": String(lampNode) });
    assert.equal(values()["association.5"], String(lampNode));
    await set({ "association.5": `${lampNode} ${lampNode}` });
    assert.equal(values()["association.5"], String(lampNode));
    await set({ "association.5": "" });
    assert.equal(values()["association.5"], "");
  });

  test("are known after a restart before the device answers", async () => {
    home.announced.length = 0;
    await home.restart();
    const first = home.announced.find((device) => device.native === native);
    assert.equal(first?.configuration?.values?.["parameter.4"], 3);
  });

  test("of an unknown device are refused", async () => {
    const request = { type: "SET_CONFIGURATION", native: "00000000/9", parameters: {} };
    assert.equal(await codeOf(home.ask(request)), "refused");
  });

  test("end nothing when they are told as the network goes down", async () => {
    await home.untilReported(native, "reachable", true);
    await set({ "parameter.4": 3 });
    isHeld = true;
    // Configuration Report: 1 byte, the value 9 of parameter 4.
    await home.stick.says(home.stick.nodeIds.at(-1) ?? 0, rawCommand(0x70, 0x06, Uint8Array.of(4, 1, 9)));
    await home.until("a setting that is described soon", () => held.length > 0);
    home.announced.length = 0;
    await home.served.unplug();
    await home.until("an unreachable dimmer", () => home.latest(native, "reachable") === false);
    for (const act of held) act();
    await setImmediate();
    assert.deepEqual(home.announced, []);
  });

  test("wait for a device that sleeps while the network is down, and are refused for one that does not", async () => {
    const told = (to: string): Promise<string | undefined> =>
      codeOf(home.ask({ type: "SET_CONFIGURATION", native: to, parameters: { "parameter.4": 5 } }));
    assert.deepEqual([await told(sleeper), await told(native)], ["asleep", "unreachable"]);
  });
});
