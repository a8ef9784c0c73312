// What goes wrong in homes with many rules: loops, echoes, floods, and rules that compete for a lamp.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import { Catalogue } from "../catalogue/catalogue.ts";
import { bindOnOff } from "../templates/bind-on-off.ts";
import { catalogue } from "../templates/index.ts";
import { TestHouse } from "../testdata/house.ts";
import { counting, flipping, ownTemplate } from "../testdata/template.ts";
import { out } from "../machine/chart.ts";
import { set, turn } from "../machine/effect.ts";

const minute = 60_000;

function alarmOf(house: TestHouse, rule: string): object | undefined {
  const alarm = house.kernel.get("alarm", `RULE_STOPPED-${rule}`);
  return alarm && { ...alarm.facts, name: alarm.name, closed: alarm.closed };
}

function stopped(house: TestHouse): readonly (readonly [string, unknown])[] {
  return house.events
    .filter(({ type }) => type === "RuleStopped")
    .map((event) => [house.name(event.id), (event as LoggedEvent & { reason: string }).reason]);
}

describe("a loop", () => {
  /** Two rules that trigger each other through the reports of their lamps, and one that only listens. */
  async function loop(): Promise<{ house: TestHouse; lamps: readonly [string, string]; listener: string }> {
    const house = await TestHouse.open({
      catalogue: new Catalogue([bindOnOff, counting]),
      unchecked: true,
    });
    const lamps = [await house.lamp("one"), await house.lamp("two", true)] as const;
    const [one, two] = lamps;
    const listener = await house.addRule("listener", "COUNT", { inputs: { heard: [one, two] } });
    const invert = [{ type: "BOOLEAN", value: true }];
    await house.addRule("inverting", "BIND_ON_OFF", {
      inputs: { source: [one] },
      outputs: { targets: [two] },
      extras: { invert },
    });
    house.forget();
    await house.addRule("copying", "BIND_ON_OFF", { inputs: { source: [two] }, outputs: { targets: [one] } });
    await house.clock.pass(minute);
    return { house, lamps, listener };
  }

  test("ends at the largest depth of a chain, and one of its rules is stopped", async () => {
    const { house } = await loop();
    assert.equal(stopped(house).length, 1);
    const [[name, reason] = []] = stopped(house);
    assert.equal(reason, "loop");
    const rule = [...house.kernel.all("rule")].find(([id]) => house.name(id) === name)?.[0] ?? "";
    assert.equal(house.kernel.get("rule", rule)?.is_on, false);
    assert.deepEqual(alarmOf(house, rule), { rule: name, reason: "loop", name, closed: false });
    assert.ok(Math.max(...house.events.map(({ depth }) => depth)) <= limits.cascadeDepth + 1);
    assert.ok(house.issued().length <= limits.cascadeDepth, house.issued().join("\n"));
  });

  test("does not start again", async () => {
    const { house, lamps } = await loop();
    house.forget();
    for (const isOn of [true, false, true]) {
      for (const lamp of lamps) await house.report(lamp, { isOn });
      await house.clock.pass(minute);
    }
    assert.ok(house.issued().length <= 6, house.issued().join("\n"));
    assert.deepEqual(stopped(house), []);
  });

  test("leaves a listening rule on, which has heard every report", async () => {
    const { house, listener } = await loop();
    assert.equal(house.kernel.get("rule", listener)?.is_on, true);
    const reports = house.counts()["DeviceReported"] ?? 0;
    assert.deepEqual(house.kernel.get("ruleRun", listener)?.context, { count: reports });
  });

  test("without reports ends at the limit of commands per minute", async () => {
    const house = await TestHouse.open({ catalogue: new Catalogue([flipping("FLIP")]) });
    const lamp = await house.lamp("lamp");
    const sensor = await house.addDevice("sensor", "MULTI_SENSOR", ["TEMPERATURE"]);
    const rule = await house.addRule("rule", "FLIP", {
      inputs: { heard: [sensor] },
      outputs: { lamps: [lamp] },
    });
    let temperature = 0;
    const press = async (): Promise<void> => {
      await house.report(sensor, { temperature: (temperature += 1) });
      await house.clock.pass(100);
    };
    for (let i = 0; i < limits.ruleFiringsPerMinute; i++) await press();
    await house.clock.pass(minute);
    for (let i = 0; i < limits.ruleFiringsPerMinute; i++) await press();
    assert.deepEqual(stopped(house), []);
    const before = house.issued().length;
    await press();
    assert.deepEqual(stopped(house), [["rule", "too many commands"]]);
    assert.equal(house.issued().length, before);
    assert.deepEqual(alarmOf(house, rule), {
      rule: "rule",
      reason: "too many commands",
      name: "rule",
      closed: false,
    });
    // A rule that is turned on again starts with a clean slate.
    await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    await press();
    assert.equal(house.kernel.get("rule", rule)?.is_on, true);
    assert.equal(house.issued().length, before + 1);
  });

  test("does not stop a safety rule", async () => {
    const house = await TestHouse.open({ catalogue: new Catalogue([flipping("FLIP", "SAFETY")]) });
    const lamp = await house.lamp("lamp");
    const sensor = await house.addDevice("sensor", "MULTI_SENSOR", ["TEMPERATURE"]);
    await house.addRule("rule", "FLIP", { inputs: { heard: [sensor] }, outputs: { lamps: [lamp] } });
    for (let i = 0; i < limits.ruleFiringsPerMinute + 10; i++) await house.report(sensor, { temperature: i });
    assert.equal(house.issued().length, limits.ruleFiringsPerMinute + 10);
    const itself = await TestHouse.open({ catalogue: new Catalogue([flipping("FLIP", "SAFETY")]) });
    const own = await itself.lamp("own");
    const rule = await itself.addRule("rule", "FLIP", {
      inputs: { heard: [own] },
      outputs: { lamps: [own] },
    });
    await itself.report(own, { isOn: true });
    await itself.clock.pass(minute);
    assert.equal(itself.kernel.get("rule", rule)?.is_on, true);
    assert.ok(itself.issued().length <= limits.cascadeDepth, "the chain ends even so");
  });
});

describe("a report after a command", () => {
  async function dimmed(): Promise<{ house: TestHouse; lamp: string; rule: string }> {
    const house = await TestHouse.open({ catalogue });
    const lamp = await house.lamp("lamp");
    const motion = await house.addDevice("motion", "MOTION", ["MOTION"], { motion: false });
    const rule = await house.addRule("rule", "MOTION_LIGHT", {
      inputs: { motion: [motion] },
      outputs: { lights: [lamp] },
    });
    await house.report(motion, { motion: true });
    return { house, lamp, rule };
  }

  test("counts as an echo for a while, and then as a change by hand", async () => {
    for (const [after, held] of [
      [limits.echoMs - 1000, false],
      [limits.echoMs + 1000, true],
    ] as const) {
      const { house, lamp } = await dimmed();
      assert.deepEqual(house.issued(), ['lamp {"isOn":true} rule']);
      await house.clock.pass(after);
      await house.report(lamp, { brightness: 0.4 });
      const holds = house.kernel.get("output", lamp)?.holds ?? {};
      assert.equal("brightness" in holds, held, `${after} ms after`);
    }
  });

  test("on behalf of a rule does not hold the device", async () => {
    const { house, lamp, rule } = await dimmed();
    await house.clock.pass(minute);
    await house.report(lamp, { brightness: 0.4 }, `rule:${rule}`);
    await house.report(lamp, { brightness: 0.5 }, "resync");
    assert.equal(house.kernel.get("output", lamp), undefined);
  });

  test("a rule that listens for failures hears of its failed command", async () => {
    const stubborn = ownTemplate(
      "STUBBORN",
      {
        context: {},
        initial: "trying",
        delays: { again: () => 5000 },
        states: {
          trying: {
            entry: [out(({ event: { view } }) => turn(view.devices("lamps"), true))],
            on: { failed: { target: "waiting" } },
          },
          waiting: { after: { again: { target: "trying" } } },
        },
      },
      { hears: ["failed"] },
    );
    const house = await TestHouse.open({ catalogue: new Catalogue([stubborn]) });
    const lamp = await house.lamp("lamp");
    house.dead.add(lamp);
    const rule = await house.addRule("rule", "STUBBORN", { outputs: { lamps: [lamp] } });
    await house.clock.pass(12_000);
    assert.equal(house.issued().length, 3);
    house.dead.delete(lamp);
    await house.clock.pass(minute);
    assert.equal(house.issued().length, 4);
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "trying" });
  });
});

describe("rules that compete for a lamp", () => {
  const following = (name: string, of: "SAFETY" | "RULE" | "AMBIENT", level: number) =>
    ownTemplate(
      name,
      {
        context: {},
        initial: "on",
        states: {
          on: {
            on: {
              "in.heard": {
                actions: [
                  out(({ event: { view } }) => set(view.devices("lamps"), { isOn: true, brightness: level })),
                ],
              },
            },
          },
        },
      },
      { class: of },
    );

  async function contest() {
    const house = await TestHouse.open({
      catalogue: new Catalogue([
        following("SAFE", "SAFETY", 1),
        following("PLAIN", "RULE", 0.5),
        following("MOOD", "AMBIENT", 0.1),
      ]),
    });
    const lamp = await house.lamp("lamp");
    const sensors: Record<string, string> = {};
    let pressed = 0;
    for (const type of ["SAFE", "PLAIN", "MOOD"]) {
      const sensor = await house.addDevice(`of ${type}`, "MULTI_SENSOR", ["TEMPERATURE"]);
      sensors[type] = sensor;
      await house.addRule(type, type, { inputs: { heard: [sensor] }, outputs: { lamps: [lamp] } });
    }
    const press = async (type: string): Promise<string[]> => {
      house.forget();
      await house.report(sensors[type] ?? "", { temperature: (pressed += 1) });
      return house.events.flatMap(({ type: what, ...event }) => {
        if (what === "CommandIssued") return ["done"];
        return what === "CommandSuppressed" ? [`held by ${(event as { class?: string }).class}`] : [];
      });
    };
    return { house, lamp, press };
  }

  test("a rule gives way to a person, and a person to safety", async () => {
    const { house, lamp, press } = await contest();
    assert.deepEqual(await press("MOOD"), ["done"]);
    assert.deepEqual(await press("PLAIN"), ["done"]);
    await house.use(lamp, { isOn: false });
    assert.deepEqual(await press("PLAIN"), ["held by MANUAL"]);
    assert.deepEqual(await press("SAFE"), ["done"]);
    assert.deepEqual(await press("PLAIN"), ["held by SAFETY"]);
    assert.equal(house.device(lamp).state["brightness"], 1);
  });

  test("two safety rules hold a device until both release it, in either order", async () => {
    for (const first of [0, 1]) {
      const house = await TestHouse.open();
      const valve = await house.addDevice("valve", "POWER_SOCKET", ["ON_OFF"], { isOn: true });
      const leaks: string[] = [];
      const rules: string[] = [];
      for (const name of ["bath", "kitchen"]) {
        const leak = await house.addDevice(name, "MULTI_SENSOR", ["MOISTURE"], { moisture: false });
        const of = { inputs: { leak: [leak] }, outputs: { valve: [valve] } };
        rules.push(await house.addRule(`${name} rule`, "LEAK_ALERT_VALVE", of));
        leaks.push(leak);
      }
      for (const leak of leaks) await house.report(leak, { moisture: true });
      const holder = (): string | undefined => house.kernel.get("output", valve)?.holds["isOn"]?.by;
      const dry = leaks[first] ?? "";
      await house.report(dry, { moisture: false });
      await house.accept({ type: "CLOSE_ALARM", id: `LEAK-${dry}` });
      assert.equal(holder(), `rule:${rules[1 - first]}`);
      await house.restart();
      await house.accept({ type: "RULE_OFF_COMMAND", id: rules[1 - first] ?? "" });
      assert.equal(holder(), undefined);
      await house.close();
    }
  });

  test("a person's hold ends exactly after holdMs", async () => {
    const { house, lamp, press } = await contest();
    await house.use(lamp, { isOn: true });
    await house.clock.pass(limits.holdMs - 1000);
    assert.deepEqual(await press("PLAIN"), ["held by MANUAL"]);
    await house.clock.pass(1000);
    assert.deepEqual(await press("PLAIN"), ["done"]);
  });

  test("a scene holds a lamp until it goes off, and then restores nothing", async () => {
    const { house, lamp, press } = await contest();
    const preset = (brightness: number) => ({
      presets: { p: { targetIds: [lamp], state: { isOn: true, brightness } } },
    });
    const one = await house.accept({ type: "CMD_SCENE", name: "one", ...preset(0.2) });
    const two = await house.accept({ type: "CMD_SCENE", name: "two", ...preset(0.7) });
    await house.submit({ type: "CMD_SCENE_ON", id: one }, "user:person");
    assert.deepEqual(await press("PLAIN"), ["held by SCENE"]);
    await house.submit({ type: "CMD_SCENE_ON", id: two }, "user:person");
    assert.equal(house.device(lamp).state["brightness"], 0.7, "the later scene wins");
    await house.submit({ type: "CMD_SCENE_OFF", id: two }, "user:person");
    assert.equal(house.device(lamp).state["brightness"], 0.7, "nothing is restored");
    assert.deepEqual(await press("PLAIN"), ["done"]);
    await house.submit({ type: "CMD_SCENE_OFF", id: one }, "user:person");
    assert.equal(house.device(lamp).state["brightness"], 0.5);
  });
});

describe("a flood of numbers", () => {
  test("steps no machine for irrelevant reports and logs no steps", async () => {
    const house = await TestHouse.open({ catalogue });
    const lux = await house.addDevice("lux", "MULTI_SENSOR", ["LUX"], { lux: 10 });
    const motion = await house.addDevice("motion", "MOTION", ["MOTION"], { motion: false });
    const lamps = await Promise.all(Array.from({ length: 5 }, (_, index) => house.lamp(`lamp ${index}`)));
    await house.addRule("light", "MOTION_LIGHT", {
      inputs: { motion: [motion], lux: [lux] },
      outputs: { lights: lamps },
    });
    house.forget();
    for (let i = 0; i < 1000; i++) await house.report(lux, { lux: 5 + (i % 40) });
    assert.deepEqual(house.counts(), { DeviceReported: 1000 });
    await house.report(motion, { motion: true });
    assert.equal(house.issued().length, 5);
  });
});
