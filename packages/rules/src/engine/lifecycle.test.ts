// Rules that fail, change, or lose their devices or templates while they run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import { Catalogue } from "../catalogue/catalogue.ts";
import type { Chart } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";
import { TestHouse } from "../testdata/house.ts";
import { counting, flipping, ownTemplate } from "../testdata/template.ts";
import { catalogue } from "../templates/index.ts";

const minute = 60_000;

interface Context {
  readonly heard: number;
}

/** Turns its lamps on a minute after its input changed, and off when the rule goes off. */
const lighting: Chart<Context> = {
  context: { heard: 0 },
  initial: "dark",
  delays: { soon: () => minute },
  off: [out(({ event: { view } }) => turn(view.devices("lamps"), false))],
  states: {
    dark: { idle: true, on: { "in.heard": { target: "soon" } } },
    soon: {
      entry: [keep(({ context }) => ({ heard: context.heard + 1 }))],
      after: { soon: { target: "lit" } },
    },
    lit: { entry: [out(({ event: { view } }) => turn(view.devices("lamps"), true))] },
  },
};
const lightLate = (more: Partial<Template<Context>> = {}): Template => ownTemplate("LATE", lighting, more);

interface Room {
  readonly house: TestHouse;
  readonly sensor: string;
  readonly lamp: string;
  readonly rule: string;
}

async function room(template: Template, ...others: readonly Template[]): Promise<Room> {
  const house = await TestHouse.open({ catalogue: new Catalogue([template, ...others]) });
  const sensor = await house.addDevice("sensor", "MULTI_SENSOR", ["TEMPERATURE"], { temperature: 1 });
  const lamp = await house.lamp("lamp");
  const of = { inputs: { heard: [sensor] }, outputs: { lamps: [lamp] } };
  const rule = await house.addRule("rule", template.configType, of);
  house.forget();
  return { house, sensor, lamp, rule };
}

function reasons(house: TestHouse, type: string): unknown[] {
  return house.events
    .filter((event) => event.type === type)
    .map((event) => (event as LoggedEvent & { reason?: string }).reason);
}

describe("a machine that throws", () => {
  /** Throws at temperatures below zero; counts the others. */
  const brittle = ownTemplate<{ readonly count: number }>("BRITTLE", {
    context: { count: 0 },
    initial: "on",
    states: {
      on: {
        on: {
          "in.heard": {
            guard: ({ event: { view } }) => {
              if (Number(view.change?.value) < 0) throw new Error("too cold");
              return Number(view.change?.value) < 100;
            },
            actions: [
              keep(({ context }) => ({ count: context.count + 1 })),
              out(({ event: { view } }) => turn(view.devices("lamps"), true)),
            ],
          },
        },
      },
    },
  });

  test("keeps its state, and stops with an alarm after repeated failures; other rules go on", async () => {
    const { house, sensor, rule } = await room(brittle, counting);
    const other = await house.addRule("other", "COUNT", { inputs: { heard: [sensor] } });
    await house.report(sensor, { temperature: 20 });
    house.forget();
    for (let i = 1; i < limits.ruleFaults; i++) await house.report(sensor, { temperature: -i });
    assert.equal(house.kernel.get("rule", rule)?.is_on, true);
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.context, { count: 1 });
    await house.report(sensor, { temperature: -limits.ruleFaults });
    assert.equal(house.kernel.get("rule", rule)?.is_on, false);
    const faults = reasons(house, "RuleFaulted").map(String);
    assert.deepEqual(
      [faults.length, faults.every((reason) => reason.endsWith("too cold"))],
      [limits.ruleFaults, true],
    );
    assert.deepEqual(reasons(house, "RuleStopped"), ["faults"]);
    assert.equal(house.kernel.get("alarm", `RULE_STOPPED-${rule}`)?.facts["reason"], "faults");
    assert.equal(house.kernel.get("ruleRun", rule), undefined);
    assert.deepEqual(house.kernel.get("ruleRun", other)?.context, { count: 1 + limits.ruleFaults });
    await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    await house.report(sensor, { temperature: 5 });
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.context, { count: 1 });
  });

  test("goes on when failures are rare, even if the reports in between change nothing", async () => {
    const { house, sensor, rule } = await room(brittle);
    for (let i = 1; i <= 3 * limits.ruleFaults; i++) {
      await house.report(sensor, { temperature: -i });
      await house.report(sensor, { temperature: 100 + i });
    }
    assert.equal(house.kernel.get("rule", rule)?.is_on, true);
    assert.equal(house.kernel.get("ruleRun", rule)?.faults, 0);
  });

  test("stops at once when it fails at its start, and goes off even when it fails at that", async () => {
    const fail = (): never => {
      throw new Error("never");
    };
    const stillborn = ownTemplate("STILLBORN", {
      context: {},
      initial: "on",
      states: { on: { entry: [out(fail)] } },
    });
    const born = await room(stillborn);
    assert.equal(born.house.kernel.get("rule", born.rule)?.is_on, false);
    assert.equal(born.house.kernel.get("alarm", `RULE_STOPPED-${born.rule}`)?.facts["reason"], "faults");
    const { house, sensor, rule } = await room(ownTemplate("LATE", { ...lighting, off: [out(fail)] }));
    await house.report(sensor, { temperature: 2 });
    assert.equal(house.kernel.size("timer"), 1);
    await house.accept({ type: "RULE_OFF_COMMAND", id: rule });
    assert.deepEqual([house.kernel.size("ruleRun"), house.kernel.size("timer")], [0, 0]);
    await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "dark" });
  });
});

describe("a template of another release", () => {
  async function waiting(): Promise<Room> {
    const found = await room(lightLate());
    await found.house.report(found.sensor, { temperature: 2 });
    assert.deepEqual(found.house.kernel.get("ruleRun", found.rule)?.value, { on: "soon" });
    return found;
  }

  test("continues from the previous version's state when it can migrate", async () => {
    const { house, rule } = await waiting();
    const migrate: Template<Context>["migrate"] = ({ version, value, context }) => ({
      value,
      context: { heard: Number(context["heard"]) + 100 * version },
    });
    await house.restart({ catalogue: new Catalogue([lightLate({ version: 2, migrate })]) });
    await house.clock.pass(minute);
    const { value, context, templateVersion } = house.kernel.get("ruleRun", rule) ?? {};
    assert.deepEqual([value, context, templateVersion], [{ on: "lit" }, { heard: 101 }, 2]);
    assert.equal(house.issued().length, 1);
    assert.equal(house.kernel.get("alarm", `RULE_BEGAN_ANEW-${rule}`), undefined);
  });

  for (const [what, next] of [
    ["newer, without a migration", lightLate({ version: 2 })],
    ["newer, whose migration gives up", lightLate({ version: 2, migrate: () => undefined })],
    ["older", lightLate({ version: 0, migrate: () => ({ value: { on: "lit" }, context: { heard: 9 } }) })],
    [
      "without the present state",
      ownTemplate("LATE", {
        ...lighting,
        states: { dark: { on: { "in.heard": { target: "lit" } } }, lit: lighting.states["lit"] ?? {} },
      }),
    ],
  ] as const) {
    test(`${what}, restarts with an alarm and drops its timers`, async () => {
      const { house, sensor, rule } = await waiting();
      await house.restart({ catalogue: new Catalogue([next]) });
      await house.clock.pass(2 * minute);
      assert.deepEqual(house.issued(), []);
      assert.equal(house.kernel.size("timer"), 0);
      await house.report(sensor, { temperature: 3 });
      assert.notEqual(house.kernel.get("ruleRun", rule)?.value, undefined);
      const alarm = house.kernel.get("alarm", `RULE_BEGAN_ANEW-${rule}`);
      assert.deepEqual([alarm?.name, alarm?.count], ["rule", 1]);
      assert.deepEqual(reasons(house, "RuleFaulted"), []);
    });
  }

  for (const [what, then] of [
    ["restarts and is idle", (house, { sensor }) => house.report(sensor, { temperature: 3 })],
    ["is turned off first", (house, { rule }) => house.accept({ type: "RULE_OFF_COMMAND", id: rule })],
  ] as const satisfies [string, (house: TestHouse, room: Room) => Promise<unknown>][]) {
    test(`that ${what} holds nothing of what the version before did`, async () => {
      const found = await room(lightLate({ class: "SAFETY" }));
      const { house, sensor, lamp } = found;
      await house.report(sensor, { temperature: 2 });
      await house.clock.pass(minute);
      assert.equal(house.kernel.get("output", lamp)?.holds["isOn"]?.class, "SAFETY");
      const idle: Chart<Context> = { ...lighting, states: { dark: { idle: true } } };
      const next = ownTemplate("LATE", idle, { class: "SAFETY", version: 2 });
      await house.restart({ catalogue: new Catalogue([next]) });
      await then(house, found);
      assert.equal(house.kernel.get("output", lamp), undefined);
    });
  }

  test("that is missing does nothing; when it is back, its rules go on", async () => {
    const { house, sensor, lamp, rule } = await waiting();
    await house.restart({ catalogue: new Catalogue([counting]), unchecked: true });
    house.forget();
    await house.report(sensor, { temperature: 3 });
    await house.report(lamp, { isOn: true });
    await house.accept({ type: "RULE_OFF_COMMAND", id: rule });
    await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    await house.accept({ type: "REMOVE_DEVICE", id: lamp });
    assert.deepEqual([house.issued(), reasons(house, "RuleFaulted")], [[], []]);
    await house.restart({ catalogue: new Catalogue([lightLate()]) });
    await house.report(sensor, { temperature: 4 });
    await house.clock.pass(2 * minute);
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "lit" });
  });

  test("that is known only later starts at the first event of its rule", async () => {
    const house = await TestHouse.open({ catalogue: new Catalogue([]), unchecked: true });
    const sensor = await house.addDevice("sensor", "MULTI_SENSOR", ["TEMPERATURE"], { temperature: 1 });
    const rule = await house.addRule("rule", "COUNT", { inputs: { heard: [sensor] } });
    await house.report(sensor, { temperature: 2 });
    assert.equal(house.kernel.size("ruleRun"), 0);
    await house.restart({ catalogue: new Catalogue([counting]) });
    await house.report(sensor, { temperature: 3 });
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.context, { count: 1 });
  });
});

describe("a rule that is changed while it runs", () => {
  test("ends in its old form and restarts in the new, without the old timers", async () => {
    const { house, sensor, lamp, rule } = await room(lightLate());
    const other = await house.lamp("other");
    await house.report(sensor, { temperature: 2 });
    await house.clock.pass(minute);
    assert.deepEqual(house.issued(), ['lamp {"isOn":true} rule']);
    await house.report(lamp, { brightness: 0.5 });
    house.forget();
    const config = house.configOf("rule", "LATE", {
      inputs: { heard: [sensor] },
      outputs: { lamps: [other] },
    });
    await house.accept({ type: "SET_RULE", config: { ...config, id: rule } });
    assert.deepEqual(house.issued(), ['lamp {"isOn":false} rule']);
    assert.deepEqual(house.kernel.get("ruleRun", rule)?.value, { on: "dark" });
    await house.report(sensor, { temperature: 3 });
    const both = house.configOf("renamed", "LATE", {
      inputs: { heard: [sensor] },
      outputs: { lamps: [other, lamp] },
    });
    await house.accept({ type: "SET_RULE", config: { ...both, id: rule } });
    house.forget();
    await house.clock.pass(2 * minute);
    assert.deepEqual(house.issued(), [], "the old timer is cancelled");
  });

  test("and is removed, leaves no timer, state or hold, and turns its lamps off", async () => {
    const { house, sensor, lamp, rule } = await room(lightLate({ class: "SAFETY" }));
    await house.report(sensor, { temperature: 2 });
    await house.clock.pass(minute);
    assert.equal(house.kernel.get("output", lamp)?.holds["isOn"]?.class, "SAFETY");
    house.forget();
    await house.accept({ type: "REMOVE_RULE", id: rule });
    assert.deepEqual(
      house.issued().map((line) => line.slice(0, 18)),
      ['lamp {"isOn":false'],
    );
    assert.equal(house.kernel.get("output", lamp), undefined);
    assert.equal(house.kernel.size("ruleRun"), 0);
    const late = await room(lightLate());
    await late.house.report(late.sensor, { temperature: 2 });
    assert.equal(late.house.kernel.size("timer"), 1);
    await late.house.accept({ type: "REMOVE_RULE", id: late.rule });
    assert.equal(late.house.kernel.size("timer"), 0);
    await late.house.clock.pass(2 * minute);
    assert.deepEqual(late.house.issued(), ['lamp {"isOn":false} rule']);
  });

  test("and is stopped, restores its outputs as if it went off", async () => {
    const flip = flipping("FLIP");
    const { chart } = flip as unknown as { chart: Chart<object> };
    const off = [
      out<object>(({ event: { view } }) => view.devices("lamps").flatMap((lamp) => turn([lamp], false))),
    ];
    const { house, sensor, lamp } = await room(ownTemplate("FLIP", { ...chart, off }));
    for (let i = 0; i <= limits.ruleFiringsPerMinute; i++) await house.report(sensor, { temperature: i + 2 });
    assert.deepEqual(reasons(house, "RuleStopped"), ["too many commands"]);
    assert.equal(house.device(lamp).state["isOn"], false);
  });

  test("a timer that was reset or cancelled does not fire at its old time", async () => {
    const { house, sensor, lamp, rule } = await room(lightLate());
    await house.report(sensor, { temperature: 2 });
    const [[id, { generation }] = ["", { generation: 0 }]] = [...house.kernel.all("timer")];
    await house.clock.pass(minute / 2);
    await house.accept({ type: "RULE_OFF_COMMAND", id: rule });
    await house.accept({ type: "RULE_ON_COMMAND", id: rule });
    await house.report(sensor, { temperature: 3 });
    await house.accept({ type: "FIRE_TIMER", id, generation, lateMs: 0 });
    await house.clock.pass(minute / 2 + 1000);
    assert.equal(house.device(lamp).state["isOn"], false);
    await house.clock.pass(minute / 2);
    assert.equal(house.device(lamp).state["isOn"], true);
  });
});

describe("a device that is removed", () => {
  test("loses its own machine and timers; those of other devices go on", async () => {
    const house = await TestHouse.open({ catalogue });
    const lamps = [await house.lamp("one"), await house.lamp("two")] as const;
    const rule = await house.addRule("rule", "AUTO_OFF", { outputs: { devices: lamps } });
    for (const lamp of lamps) await house.use(lamp, { isOn: true });
    assert.equal(house.kernel.size("timer"), 2);
    await house.accept({ type: "REMOVE_DEVICE", id: lamps[0] });
    assert.deepEqual(
      [...house.kernel.all("ruleRun")].map(([id]) => id),
      [`${rule}/${lamps[1]}`],
    );
    assert.equal(house.kernel.size("timer"), 1);
    house.forget();
    await house.clock.pass(31 * minute);
    assert.deepEqual(house.issued(), ['two {"isOn":false} rule']);
    assert.deepEqual(reasons(house, "RuleFaulted"), []);
  });

  test("counts as out of reach: a light that it turned on goes off", async () => {
    const house = await TestHouse.open({ catalogue });
    const motion = await house.addDevice("motion", "MOTION", ["MOTION"], { motion: false });
    const lamp = await house.lamp("lamp");
    await house.addRule("rule", "MOTION_LIGHT", {
      inputs: { motion: [motion] },
      outputs: { lights: [lamp] },
    });
    await house.report(motion, { motion: true });
    assert.equal(house.device(lamp).state["isOn"], true);
    await house.accept({ type: "REMOVE_DEVICE", id: motion });
    await house.clock.pass(3 * minute);
    assert.equal(house.device(lamp).state["isOn"], false);
  });
});

test("among machines for each device, a failing one does not stop the others", async () => {
  const each = ownTemplate(
    "EACH",
    {
      context: {},
      initial: "on",
      states: {
        on: {
          on: {
            "in.heard": {
              actions: [
                out(({ event: { view } }) => {
                  if (view.each?.name === "bad") throw new Error("bad");
                  return turn(view.devices("lamps"), true);
                }),
              ],
            },
          },
        },
      },
    },
    { each: "heard", inputs: { heard: devices(["TEMPERATURE"], 1, 8) } },
  );
  const house = await TestHouse.open({ catalogue: new Catalogue([each]) });
  const [bad, good] = [
    await house.addDevice("bad", "MULTI_SENSOR", ["TEMPERATURE"]),
    await house.addDevice("good", "MULTI_SENSOR", ["TEMPERATURE"]),
  ];
  const lamp = await house.lamp("lamp");
  const rule = await house.addRule("rule", "EACH", {
    inputs: { heard: [bad, good] },
    outputs: { lamps: [lamp] },
  });
  await house.report(bad, { temperature: 1 });
  await house.report(good, { temperature: 1 });
  assert.equal(house.device(lamp).state["isOn"], true);
  assert.equal(house.kernel.get("rule", rule)?.is_on, true);
});
