import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObstacleKind, Why, WhyNot } from "@ledge/model";
import { daily, clock } from "../schedule/daily.ts";
import { TestHouse } from "../testdata/house.ts";
import { asked, TestRecord } from "./test-recorded.ts";

const minute = 60_000;

/** A rule, and what happens until it should have acted and did not. */
interface Case {
  readonly name: string;
  /**
   * Lives through the case.
   * @returns the rule, or the device that it should have driven
   */
  readonly live: (house: TestHouse) => Promise<string>;
  readonly kind: ObstacleKind;
  /** The transition of the guard that did not hold, and its deciding readings as `<device or field>=<value>`. */
  readonly way?: string;
  readonly decides?: readonly string[];
  /** Matches the text of the obstacle. */
  readonly text?: RegExp;
}

const value = (type: string, of: unknown): object => ({ type, value: of });

const cases: readonly Case[] = [
  {
    name: "MOTION_LIGHT: it is not dark enough",
    async live(house) {
      const { rule, motion } = await motionLight(house, { lux: 120 });
      await house.report(motion, { motion: true });
      return rule;
    },
    kind: "GUARD",
    way: "dark → moving",
    decides: ["Lux=120"],
    text: /Lux: light 120 lx, Brightness limit 50 lx/,
  },
  {
    name: "MOTION_LIGHT: it is not the time",
    async live(house) {
      const extras = { activeTimes: [daily(clock(22 * 60), clock(6 * 60))] };
      const { rule, motion } = await motionLight(house, { lux: 10 }, extras);
      await house.report(motion, { motion: true });
      return rule;
    },
    kind: "GUARD",
    way: "dark → moving",
    decides: ["Active times=false"],
    text: /Active times: not now/,
  },
  {
    name: "MOTION_LIGHT: nobody moves",
    async live(house) {
      const { rule, lux } = await motionLight(house, { lux: 10 });
      await house.report(lux, { lux: 12 });
      return rule;
    },
    kind: "GUARD",
    way: "dark → moving",
    decides: ["Motion=false"],
  },
  {
    name: "MOTION_LIGHT: the sensor is out of reach",
    async live(house) {
      const { rule, motion } = await motionLight(house, { lux: 10 });
      await house.report(motion, { motion: true, reachable: false });
      return rule;
    },
    kind: "UNREACHABLE",
    text: /Motion is out of reach/,
  },
  {
    name: "MOTION_LIGHT: a person has turned the lamp off",
    async live(house) {
      const { lamp, motion } = await motionLight(house, { lux: 10 });
      await house.report(motion, { motion: true });
      await house.use(lamp, { isOn: false });
      return lamp;
    },
    kind: "HELD",
    text: /Lamp is kept from rules until 2026-01-15 14:00 by a user/,
  },
  {
    name: "MOTION_LIGHT: a person's change suppresses the command",
    async live(house) {
      const { lamp, motion } = await motionLight(house, { lux: 10 });
      await house.report(motion, { motion: true });
      await house.report(motion, { motion: false });
      await house.use(lamp, { isOn: true, brightness: 0.3 });
      await house.clock.pass(3 * minute);
      return lamp;
    },
    kind: "SUPPRESSED",
    text: /The rule Rule was kept from Lamp by a user/,
  },
  {
    name: "MOTION_LIGHT: the lamp does not answer",
    async live(house) {
      const { lamp, motion } = await motionLight(house, { lux: 10 });
      house.dead.add(lamp);
      await house.report(motion, { motion: true });
      return lamp;
    },
    kind: "FAILED",
    text: /Lamp did not do it: no answer/,
  },
  {
    name: "MOTION_LIGHT: the rule is off",
    async live(house) {
      const { rule, motion } = await motionLight(house, { lux: 10 });
      await house.submit({ type: "RULE_OFF_COMMAND", id: rule }, "user:person");
      await house.report(motion, { motion: true });
      return rule;
    },
    kind: "RULE_OFF",
    text: /The rule is off since 2026-01-15 12:00: A user turned off the rule Rule/,
  },
  {
    name: "a rule that was stopped because it triggered itself",
    async live(house) {
      const [one, other] = [await house.lamp("One"), await house.lamp("Other")];
      const bind = (source: string, target: string, invert: boolean): Promise<string> =>
        house.addRule(`Bind ${source}`, "BIND_ON_OFF", {
          inputs: { source: [source] },
          outputs: { targets: [target] },
          extras: { invert: [value("BOOLEAN", invert)] },
        });
      const rules = [await bind(one, other, false), await bind(other, one, true)];
      await house.use(one, { isOn: true });
      await house.clock.pass(minute);
      return rules.find((id) => house.kernel.get("rule", id)?.is_on === false) ?? "";
    },
    kind: "RULE_OFF",
    text: /is set off by what it does itself/,
  },
  {
    name: "BIND_ON_OFF: the source has not changed",
    async live(house) {
      const [source, target] = [await house.lamp("Source"), await house.lamp("Target")];
      await house.addRule("Rule", "BIND_ON_OFF", {
        inputs: { source: [source] },
        outputs: { targets: [target] },
      });
      await house.report(source, { reachable: false });
      await house.report(source, { reachable: true });
      return target;
    },
    kind: "GUARD",
    way: "off → on",
    decides: ["Source=false"],
  },
  {
    name: "ON_OFF_THERMOSTAT: it is warm enough",
    async live(house) {
      const { rule, sensor } = await thermostat(house);
      await house.report(sensor, { temperature: 20.9 });
      return rule;
    },
    kind: "GUARD",
    decides: ["Sensor=20.9"],
  },
  {
    name: "ON_OFF_THERMOSTAT: the shortest time off is not over",
    async live(house) {
      const { rule, sensor } = await thermostat(house);
      await house.report(sensor, { temperature: 19 });
      await house.clock.pass(5 * minute);
      await house.report(sensor, { temperature: 23 });
      await house.clock.pass(minute);
      await house.report(sensor, { temperature: 19 });
      return rule;
    },
    kind: "WAITING",
  },
  {
    name: "HUMIDITY_FAN: it rests",
    async live(house) {
      const hum = await house.addDevice("Hum", "MULTI_SENSOR", ["HUMIDITY"], { humidity: 40 });
      const fan = await house.lamp("Fan");
      const rule = await house.addRule("Rule", "HUMIDITY_FAN", {
        inputs: { hum: [hum] },
        outputs: { fan: [fan] },
      });
      await house.report(hum, { humidity: 90 });
      await house.clock.pass(61 * minute);
      await house.report(hum, { humidity: 91 });
      return rule;
    },
    kind: "WAITING",
    text: /2026-01-15 13:/,
  },
  {
    name: "HUMIDITY_FAN: not damp enough",
    async live(house) {
      const hum = await house.addDevice("Hum", "MULTI_SENSOR", ["HUMIDITY"], { humidity: 40 });
      const fan = await house.lamp("Fan");
      const rule = await house.addRule("Rule", "HUMIDITY_FAN", {
        inputs: { hum: [hum] },
        outputs: { fan: [fan] },
      });
      await house.report(hum, { humidity: 60 });
      return rule;
    },
    kind: "GUARD",
    decides: ["Hum=60"],
  },
  {
    name: "AUTO_OFF: the device is off",
    async live(house) {
      const socket = await house.lamp("Socket", true);
      const rule = await house.addRule("Rule", "AUTO_OFF", { outputs: { devices: [socket] } });
      await house.report(socket, { isOn: false });
      await house.report(socket, { reachable: false });
      await house.report(socket, { reachable: true });
      return rule;
    },
    kind: "GUARD",
    way: "resting → running",
    decides: ["Socket=false"],
  },
  {
    name: "AUTO_OFF: its time is not over",
    async live(house) {
      const socket = await house.lamp("Socket");
      const rule = await house.addRule("Rule", "AUTO_OFF", { outputs: { devices: [socket] } });
      await house.report(socket, { isOn: true });
      return rule;
    },
    kind: "WAITING",
    text: /The rule waits until 2026-01-15 12:30/,
  },
  {
    name: "TWILIGHT_LIGHT: it has not been dark for long enough",
    async live(house) {
      const twilight = await house.addDevice("Lux", "MULTI_SENSOR", ["LUX"], { lux: 100 });
      const lamp = await house.lamp("Lamp");
      const rule = await house.addRule("Rule", "TWILIGHT_LIGHT", {
        inputs: { twilight: [twilight] },
        outputs: { lights: [lamp] },
      });
      await house.report(twilight, { lux: 5 });
      return rule;
    },
    kind: "WAITING",
  },
  {
    name: "DOOR_LEFT_OPEN: not at this time of the day",
    async live(house) {
      const door = await house.addDevice("Door", "CONTACT", ["CONTACT"], { open: false });
      const rule = await house.addRule("Rule", "DOOR_LEFT_OPEN", {
        inputs: { door: [door] },
        extras: { dnd: [daily(clock(0), clock(1439))] },
      });
      await house.report(door, { open: true });
      await house.clock.pass(6 * minute);
      return rule;
    },
    kind: "GUARD",
    way: "due → told",
    decides: ["Quiet times=true"],
  },
  {
    name: "FREEZE_TEMP_LIMIT: it is between the bounds",
    async live(house) {
      const sensor = await house.addDevice("Sensor", "MULTI_SENSOR", ["TEMPERATURE"], { temperature: 20 });
      const rule = await house.addRule("Rule", "FREEZE_TEMP_LIMIT", { inputs: { temp: [sensor] } });
      await house.report(sensor, { temperature: 6 });
      return rule;
    },
    kind: "GUARD",
    decides: ["Sensor=6"],
  },
  {
    name: "BATTERY_LOW: the battery is good",
    async live(house) {
      const device = await house.addDevice("Motion", "MOTION", ["MOTION", "BATTERY_U"], {
        batteryLow: false,
      });
      const rule = await house.addRule("Rule", "BATTERY_LOW", { inputs: { devices: [device] } });
      await house.report(device, { batteryLow: true });
      await house.report(device, { batteryLow: false });
      return rule;
    },
    kind: "GUARD",
    decides: ["Motion=false"],
  },
  {
    name: "CAMERA_SNAPSHOT: it has just taken one",
    async live(house) {
      const motion = await house.addDevice("Motion", "MOTION", ["MOTION"], { motion: false });
      const camera = await house.addDevice("Camera", "CAMERA", ["ON_OFF"], {});
      const rule = await house.addRule("Rule", "CAMERA_SNAPSHOT", {
        inputs: { trigger: [motion] },
        outputs: { cameras: [camera] },
      });
      for (const moves of [true, false, true]) await house.report(motion, { motion: moves });
      return rule;
    },
    kind: "GUARD",
    way: "shooting → shooting",
    text: /it is not time yet/,
  },
  {
    name: "APPLIANCE_DONE: it draws too little to be working",
    async live(house) {
      const meter = await house.addDevice("Meter", "POWER_SOCKET", ["MEASURE_POWER"], { activePower: 1 });
      const rule = await house.addRule("Rule", "APPLIANCE_DONE", { inputs: { meter: [meter] } });
      await house.report(meter, { activePower: 12 });
      return rule;
    },
    kind: "GUARD",
    way: "idle → running",
    decides: ["Meter=12"],
  },
  {
    name: "MOTION_LIGHT: the lamp is on already",
    async live(house) {
      const { lamp, rule } = await motionLight(house, { lux: 10 });
      const other = await house.lamp("Other");
      await house.addRule("Follow", "BIND_ON_OFF", {
        inputs: { source: [lamp] },
        outputs: { targets: [other] },
      });
      return rule;
    },
    kind: "GUARD",
    decides: ["Motion=false"],
  },
];

for (const { name, live, kind, way, decides, text } of cases) {
  test(name, async () => {
    const house = await TestHouse.open({ unchecked: true });
    const id = await live(house);
    const told = asked(new TestRecord(house).at(house.kernel.timestamp), { id, not: true });
    await house.close();
    const found = obstacle(told, kind, way);
    if (text !== undefined) assert.match(found.text, text);
    if (decides !== undefined) {
      const deciding = found.guard?.readings.filter(({ decides: isIt }) => isIt) ?? [];
      const said = deciding.map(({ device, label, value: was }) => `${device?.name ?? label}=${String(was)}`);
      assert.deepEqual(said, decides, JSON.stringify(found));
    }
  });
}

test("why not answers nothing for a device that no rule drives", async () => {
  const house = await TestHouse.open();
  const lamp = await house.lamp("Lamp");
  const { not, links, end } = asked(new TestRecord(house).at(house.kernel.timestamp), {
    id: lamp,
    not: true,
  });
  assert.deepEqual([not, links, end], [[], [], null]);
  await house.close();
});

test("why not answers for each device that has its own machine", async () => {
  const house = await TestHouse.open();
  const doors = [
    await house.addDevice("Front", "CONTACT", ["CONTACT"], { open: false }),
    await house.addDevice("Back", "CONTACT", ["CONTACT"], { open: false }),
  ];
  const rule = await house.addRule("Rule", "DOOR_LEFT_OPEN", { inputs: { door: doors } });
  await house.report(doors[0] ?? "", { open: true });
  const { not } = asked(new TestRecord(house).at(house.kernel.timestamp), { id: rule, not: true });
  const states = (of: readonly WhyNot[]): unknown => of.map(({ run, state }) => [run, state]);
  assert.deepEqual(states(not), [
    [`${rule}/${doors[0]}`, "open"],
    [`${rule}/${doors[1]}`, "closed"],
  ]);
  await house.close();
});

function obstacle(told: Why, kind: ObstacleKind, way: string | undefined): WhyNot["obstacles"][number] {
  const all = told.not.flatMap(({ obstacles }) => obstacles);
  const found = all.find(
    ({ kind: of, guard }) => of === kind && (way === undefined || `${guard?.from} → ${guard?.to}` === way),
  );
  return found ?? assert.fail(`no ${kind}: ${JSON.stringify(told.not, null, 1)}`);
}

async function motionLight(
  house: TestHouse,
  shown: { readonly lux: number },
  extras: Readonly<Record<string, readonly object[]>> = {},
): Promise<{ rule: string; lamp: string; motion: string; lux: string }> {
  const lamp = await house.lamp("Lamp");
  const motion = await house.addDevice("Motion", "MOTION", ["MOTION"], { motion: false });
  const lux = await house.addDevice("Lux", "MULTI_SENSOR", ["LUX"], shown);
  const rule = await house.addRule("Rule", "MOTION_LIGHT", {
    inputs: { motion: [motion], lux: [lux] },
    outputs: { lights: [lamp] },
    extras,
  });
  return { rule, lamp, motion, lux };
}

async function thermostat(house: TestHouse): Promise<{ rule: string; sensor: string }> {
  const sensor = await house.addDevice("Sensor", "MULTI_SENSOR", ["TEMPERATURE"], { temperature: 21 });
  const heater = await house.addDevice("Heater", "POWER_SOCKET", ["ON_OFF"], { isOn: false });
  const rule = await house.addRule("Rule", "ON_OFF_THERMOSTAT", {
    inputs: { temp: [sensor] },
    outputs: { heaters: [heater] },
  });
  return { rule, sensor };
}
