// Groups in the place of devices.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoggedEvent, RuleConfig } from "@ledge/model";
import { TestHouse } from "../testdata/house.ts";

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

/** Two lamps of three and one sensor of two are in groups, which a motion light has. */
async function open(): Promise<Home> {
  const house = await TestHouse.open();
  const lamps = [await house.lamp("one"), await house.lamp("two"), await house.lamp("three")] as const;
  const sensor = (name: string) => house.addDevice(name, "MOTION", ["MOTION"], { motion: false });
  const [hall, stairs] = [await sensor("hall"), await sensor("stairs")];
  const sensors = await groupOf(house, "sensors", [hall]);
  // What cannot be lit is no light.
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
  test(`a rule hears and drives the members of its groups, as they are${how}`, async () => {
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
    assert.deepEqual(await step(() => house.report(hall, { motion: true })), [], "a member no more");
    const moved = await step(() => house.report(stairs, { motion: true }));
    assert.deepEqual(moved, [`two ${lit}`, `three ${lit}`]);
    await house.close();
  });
}

test("a new member counts at once: the rule begins anew with it", async () => {
  const { house, hall, stairs, sensors } = await open();
  await house.report(stairs, { motion: true });
  assert.deepEqual(house.issued(), []);
  await change(house, sensors, [hall, stairs]);
  assert.deepEqual(house.issued(), [`one ${lit}`, `two ${lit}`]);
  house.forget();
  await change(house, sensors, [stairs, hall, stairs]);
  await house.accept({ type: "CMD_GROUP", id: sensors, name: "other" });
  assert.equal(house.counts()["RuleStepped"] ?? 0, 1, "the order is another");
  await house.close();
});

test("what members are told says of which group, so that it can be cast", async () => {
  const { house, hall, lights } = await open();
  await house.report(hall, { motion: true });
  const groups = house.events
    .filter(({ type }) => type === "CommandIssued")
    .map((event) => (event as LoggedEvent & { group: unknown }).group);
  assert.deepEqual(groups, [lights, lights]);
  await house.close();
});

test("each member has a machine of its own where each device has one", async () => {
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
  assert.deepEqual(house.issued(), ['three {"isOn":false} off'], "the second is no member any more");
  await house.close();
});

describe("a CONFIG", () => {
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

  test("may name a group with a device in it that can do what is asked for, and no other", async () => {
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

  test("has no more devices than a field takes, members included", async () => {
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

  test("that would close a loop through a group is refused", async () => {
    const found = await refusal(({ lights, lamps: [first] }) => ({
      configType: "BIND_ON_OFF",
      inputs: { source: [first] },
      outputs: { targets: [lights] },
    }));
    assert.equal((found as { field?: string } | undefined)?.field, "outputs.targets");
  });

  test("takes of a group that grows as many as the field has room for", async () => {
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
