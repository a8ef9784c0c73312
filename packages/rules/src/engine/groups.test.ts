// Rules whose fields have groups instead of devices.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoggedEvent, RuleConfig } from "@ledge/model";
import { catalogue } from "../templates/index.ts";
import { TestHouse } from "../testdata/house.ts";
import { withMembers } from "./members.ts";

const minute = 60_000;

interface Home {
  readonly house: TestHouse;
  readonly lamps: readonly [string, string, string];
  readonly hall: string;
  readonly stairs: string;
  readonly sensors: string;
  readonly lights: string;
  readonly rule: string;
}

const groupOf = (house: TestHouse, name: string, members: readonly string[]): Promise<string> =>
  house.accept({ type: "CMD_GROUP", name, members });
const change = (house: TestHouse, id: string, members: readonly string[]): Promise<string> =>
  house.accept({ type: "CMD_GROUP", id, members });

/** A motion light whose fields have groups, with two of three lamps and one of two sensors. */
async function open(): Promise<Home> {
  const house = await TestHouse.open();
  const lamps = [await house.lamp("one"), await house.lamp("two"), await house.lamp("three")] as const;
  const sensor = (name: string) => house.addDevice(name, "MOTION", ["MOTION"], { motion: false });
  const [hall, stairs] = [await sensor("hall"), await sensor("stairs")];
  const sensors = await groupOf(house, "sensors", [hall]);
  // The motion sensor in this group cannot be switched, so it is left out.
  const lights = await groupOf(house, "lights", [lamps[0], lamps[1], stairs]);
  const rule = await house.addRule("light", "MOTION_LIGHT", {
    inputs: { motion: [sensors] },
    outputs: { lights: [lights] },
  });
  house.forget();
  return { house, lamps, hall, stairs, sensors, lights, rule };
}

const [lit, dark] = ['{"isOn":true} light', '{"isOn":false} light'];

for (const restarts of [false, true]) {
  const how = restarts ? ", with a restart before each step" : "";
  test(`a rule hears and drives the present members of its groups${how}`, async () => {
    const { house, lamps, hall, stairs, sensors, lights } = await open();
    const step = async (does: () => Promise<unknown>): Promise<readonly string[]> => {
      if (restarts) await house.restart({}, 0, () => Promise.resolve());
      house.forget();
      await does();
      return house.issued();
    };
    assert.deepEqual(await step(() => house.report(hall, { motion: true })), [`one ${lit}`, `two ${lit}`]);
    const left = async (): Promise<void> => {
      await house.report(hall, { motion: false });
      await house.clock.pass(3 * minute);
    };
    assert.deepEqual(await step(left), [`one ${dark}`, `two ${dark}`]);
    assert.deepEqual(await step(() => house.report(stairs, { motion: true })), [], "no member");
    await step(() => house.report(stairs, { motion: false }));
    await step(() => change(house, sensors, [stairs]));
    await step(() => change(house, lights, [lamps[1], lamps[2]]));
    assert.deepEqual(await step(() => house.report(hall, { motion: true })), [], "no longer a member");
    const moved = await step(() => house.report(stairs, { motion: true }));
    assert.deepEqual(moved, [`two ${lit}`, `three ${lit}`]);
    await house.close();
  });
}

test("a new member counts at once, because the rule restarts with it", async () => {
  const { house, hall, stairs, sensors } = await open();
  await house.report(stairs, { motion: true });
  assert.deepEqual(house.issued(), []);
  await change(house, sensors, [hall, stairs]);
  assert.deepEqual(house.issued(), [`one ${lit}`, `two ${lit}`]);
  house.forget();
  await change(house, sensors, [stairs, hall, stairs]);
  await house.accept({ type: "CMD_GROUP", id: sensors, name: "other" });
  assert.equal(house.counts()["RuleStepped"] ?? 0, 1, "a new order or name restarts nothing");
  await house.close();
});

test("commands to members name the group, so that the radio can groupcast", async () => {
  const { house, hall, lights } = await open();
  await house.report(hall, { motion: true });
  const groups = house.events
    .filter(({ type }) => type === "CommandIssued")
    .map((event) => (event as LoggedEvent & { group: unknown }).group);
  assert.deepEqual(groups, [lights, lights]);
  await house.close();
});

test("each member has its own machine when each device has one", async () => {
  const { house, lamps, lights } = await open();
  await house.addRule("off", "AUTO_OFF", { outputs: { devices: [lights] } });
  await house.use(lamps[0], { isOn: true });
  await house.clock.pass(10 * minute);
  await house.use(lamps[1], { isOn: true });
  await house.use(lamps[2], { isOn: true });
  house.forget();
  await house.clock.pass(20 * minute);
  assert.deepEqual(house.issued(), ['one {"isOn":false} off']);
  await change(house, lights, [lamps[2]]);
  house.forget();
  await house.clock.pass(31 * minute);
  assert.deepEqual(house.issued(), ['three {"isOn":false} off'], "the second lamp is no longer a member");
  await house.close();
});

describe("a group stands for devices in every field of", () => {
  for (const template of catalogue.templates.filter(({ internal }) => !internal))
    test(template.configType, () => {
      const members = new Map<string, readonly string[]>();
      const fields = { ...template.inputs, ...template.outputs };
      const grouped = (names: readonly string[]): Record<string, string[]> =>
        Object.fromEntries(names.map((name) => [name, [`group of ${name}`]]));
      for (const [name, { capabilities }] of Object.entries(fields))
        members.set(`group of ${name}`, [
          ...capabilities.map((capability) => `${name} ${capability}`),
          "other",
        ]);
      const get = (kind: string, id: string): unknown => {
        if (kind === "group") return members.has(id) ? { members: members.get(id) } : undefined;
        const values = ["DEVICE", id.split(" ")[1] ?? ""];
        return kind === "device" && !members.has(id) ? { id, capabilities: { values } } : undefined;
      };
      const config = {
        inputs: grouped(Object.keys(template.inputs)),
        outputs: grouped(Object.keys(template.outputs)),
      };
      const working = withMembers(config, template, { get } as never);
      for (const [name, field] of Object.entries(fields)) {
        const resolved = working.inputs[name] ?? working.outputs[name] ?? [];
        const fitting = (members.get(`group of ${name}`) ?? []).filter(
          (id) => field.capabilities.includes("DEVICE") || id !== "other",
        );
        assert.deepEqual(resolved, fitting.slice(0, field.max), name);
      }
    });
});

describe("a CONFIG with groups", () => {
  async function refusal(
    configOf: (home: Home) => Partial<RuleConfig> & { configType: string },
  ): Promise<unknown> {
    const home = await open();
    const { configType, inputs, outputs } = configOf(home);
    const config = home.house.configOf("of a test", configType, {
      inputs: inputs ?? {},
      outputs: outputs ?? {},
    });
    const outcome = await home.house.hub.submit({ type: "SET_RULE", config });
    await home.house.close();
    return outcome.accepted ? undefined : outcome.rejection;
  }

  test("accepts a group with a suitable member, and refuses others", async () => {
    assert.equal(
      await refusal(({ lights, sensors }) => ({
        configType: "MOTION_LIGHT",
        inputs: { motion: [sensors] },
        outputs: { lights: [lights] },
      })),
      undefined,
    );
    assert.deepEqual(
      await refusal(({ lights, sensors }) => ({
        configType: "MOTION_LIGHT",
        inputs: { motion: [sensors] },
        outputs: { lights: [lights, sensors] },
      })),
      {
        rejected: "invalid",
        message: "the group sensors has no ON_OFF or CONTROL_LIGHT",
        field: "outputs.lights.1",
      },
    );
  });

  test("is refused when the members exceed what a field takes", async () => {
    assert.deepEqual(
      await refusal(({ lights, lamps: [, , third] }) => ({
        configType: "BIND_ON_OFF",
        inputs: { source: [lights] },
        outputs: { targets: [third] },
      })),
      {
        rejected: "invalid",
        message: "at most 1 wanted, members of groups included",
        field: "inputs.source",
      },
    );
  });

  test("is refused when it closes a loop through a group", async () => {
    const found = await refusal(({ lights, lamps: [first] }) => ({
      configType: "BIND_ON_OFF",
      inputs: { source: [first] },
      outputs: { targets: [lights] },
    }));
    assert.equal((found as { field?: string } | undefined)?.field, "outputs.targets");
  });

  test("uses only as many members of a grown group as the field takes", async () => {
    const { house, lamps, stairs } = await open();
    const one = await groupOf(house, "one", [lamps[0]]);
    await house.addRule("bind", "BIND_ON_OFF", {
      inputs: { source: [one] },
      outputs: { targets: [lamps[2]] },
    });
    await change(house, one, [stairs, lamps[0], lamps[1]]);
    house.forget();
    await house.report(lamps[1], { isOn: true });
    assert.deepEqual(house.issued(), []);
    await house.report(lamps[0], { isOn: true });
    assert.deepEqual(house.issued(), ['three {"isOn":true} bind']);
    await house.close();
  });
});
