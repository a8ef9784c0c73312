import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { attributes, isSettable } from "@ledge/model";
import type { Identify, Ieee, ZclDevice } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import type { AttributeValues } from "./map/index.ts";
import { codeOf, startRig, type Rig } from "./test-rig.ts";

const [onOff, level, lock, covering, thermostat, fan, color, identify] = [
  0x0006, 0x0008, 0x0101, 0x0102, 0x0201, 0x0202, 0x0300, 0x0003,
];

const made = {
  lamp: devices.lamp,
  whiteLamp: devices.whiteLamp,
  colorLamp: devices.colorLamp,
  unknownColorLamp: devices.unknownColorLamp,
  socket: devices.socket,
  unknownSocket: devices.unknownSocket,
  wallSwitch: devices.wallSwitch,
  waterValve: devices.waterValve,
  cover: devices.cover,
  tiltBlind: devices.tiltBlind,
  tuyaCover: devices.tuyaCover,
  lock: devices.lock,
  unknownLock: devices.unknownLock,
  thermostat: devices.thermostat,
  radiatorValve: devices.radiatorValve,
  tuyaValve: devices.tuyaValve,
  fan: devices.fan,
  siren: devices.siren,
};
type Name = keyof typeof made;
const names = Object.keys(made) as Name[];
const ieeeOf = (name: Name): Ieee => `0x00158d00000002${names.indexOf(name).toString(16).padStart(2, "0")}`;
const home = Object.fromEntries(names.map((name) => [name, made[name](ieeeOf(name))])) as {
  [One in Name]: ReturnType<(typeof made)[One]>;
};

/** A cluster and attribute of the device, and the value that it has after the command. */
type Effect = readonly [cluster: number, attribute: number, value: unknown, endpoint?: number | undefined];
interface Row {
  readonly name: Name;
  readonly wanted: AttributeValues;
  readonly effects: readonly Effect[];
  /** The suffix of the native id, for a device of several parts. */
  readonly part?: string;
}

const [systemMode, setpoint] = [0x001c, 0x0012];
const [x, y, mireds, colorMode] = [0x0003, 0x0004, 0x0007, 0x0008];
const dimmed = (name: Name): readonly Row[] => [
  { name, wanted: { isOn: true }, effects: [[onOff, 0, true]] },
  { name, wanted: { brightness: 0 }, effects: [[level, 0, 1]] },
  {
    name,
    wanted: { brightness: 0.5, transitionMsec: 100 },
    effects: [
      [level, 0, 128],
      [onOff, 0, true],
    ],
  },
  { name, wanted: { isOn: true, brightness: 1 }, effects: [[level, 0, 254]] },
  { name, wanted: { isOn: false }, effects: [[onOff, 0, false]] },
  {
    name,
    wanted: { brightness: 0.2 },
    effects: [
      [level, 0, 52],
      [onOff, 0, false],
    ],
  },
  { name, wanted: { isOn: true }, effects: [[onOff, 0, true]] },
];
const colored = (name: Name): readonly Row[] => [
  ...dimmed(name),
  {
    name,
    wanted: { temperature: 4000 },
    effects: [
      [color, mireds, 250],
      [color, colorMode, 2],
    ],
  },
  {
    name,
    wanted: { hue: 0, saturation: 1 },
    effects: [
      [color, x, 41_943],
      [color, y, 21_627],
      [color, colorMode, 1],
    ],
  },
  { name, wanted: { colorMode: "ct" }, effects: [[color, colorMode, 2]] },
];
const switched = (name: Name, part = "", endpoint?: number): readonly Row[] =>
  [true, false].map((isOn) => ({ name, part, wanted: { isOn }, effects: [[onOff, 0, isOn, endpoint]] }));
const heated = (name: Name, modes: Readonly<Record<number, number>>): readonly Row[] => [
  ...Object.entries(modes).map(([mode, raw]): Row => {
    return { name, wanted: { mode: Number(mode) }, effects: [[thermostat, systemMode, raw]] };
  }),
  { name, wanted: { mode: 2, targetTemperature: 22.5 }, effects: [[thermostat, setpoint, 2250]] },
  { name, wanted: { targetTemp: 19 }, effects: [[thermostat, setpoint, 1900]] },
];
const locked = (name: Name): readonly Row[] => [
  { name, wanted: { locked: false }, effects: [[lock, 0, 2]] },
  { name, wanted: { locked: true }, effects: [[lock, 0, 1]] },
];

const rows: readonly Row[] = [
  ...dimmed("lamp"),
  ...dimmed("whiteLamp"),
  { name: "whiteLamp", wanted: { temperature: 2700 }, effects: [[color, mireds, 370]] },
  { name: "whiteLamp", wanted: { colorMode: "ct" }, effects: [[color, colorMode, 2]] },
  ...colored("colorLamp"),
  ...colored("unknownColorLamp"),
  ...switched("socket"),
  ...switched("unknownSocket"),
  ...switched("wallSwitch", "", 1),
  ...switched("wallSwitch", "/2", 2),
  ...switched("waterValve"),
  { name: "cover", wanted: { position: 0.95 }, effects: [[covering, 0x0008, 5]] },
  { name: "cover", wanted: { liftPct: 98 }, effects: [[covering, 0x0008, 2]] },
  { name: "tiltBlind", wanted: { position: 0.98 }, effects: [[covering, 0x0008, 2]] },
  { name: "tiltBlind", wanted: { liftPct: 97 }, effects: [[covering, 0x0008, 3]] },
  { name: "tiltBlind", wanted: { tiltPct: 60 }, effects: [[covering, 0x0009, 40]] },
  ...locked("lock"),
  ...locked("unknownLock"),
  ...heated("thermostat", { 0: 0, 1: 1, 2: 4, 3: 3 }),
  { name: "thermostat", wanted: { fanMode: 5 }, effects: [[fan, 0x0000, 5]] },
  { name: "thermostat", wanted: { mode: 3, targetTemp: 25 }, effects: [[thermostat, 0x0011, 2500]] },
  ...heated("radiatorValve", { 0: 0, 1: 1, 2: 4 }),
  ...[1, 2, 3, 4, 5, 6, 0].map((mode): Row => {
    return { name: "fan", wanted: { fanMode: mode }, effects: [[fan, 0x0000, mode]] };
  }),
  ...dimmed("fan"),
];

/** Commands of devices that have no standard attribute for their effect, by what the device does. */
const acts: readonly (readonly [Name, AttributeValues, does: string, () => boolean])[] = [
  ["siren", { isOn: true }, "sounds loudly with its light", () => isAlarming(3)],
  ["siren", { isOn: false }, "falls silent", () => !home.siren.isSounding],
  ["siren", { sirenOn: true }, "sounds", () => isAlarming(3)],
  ["siren", { sirenOn: false }, "falls silent", () => !home.siren.isSounding],
  ["tuyaCover", { position: 1 }, "goes to 100 %", () => home.tuyaCover.value("target") === 100],
  ["tuyaCover", { liftPct: 30 }, "goes to 30 %", () => home.tuyaCover.value("target") === 30],
  ...(["lamp", "whiteLamp", "colorLamp", "fan"] as const).flatMap(
    (name) =>
      [
        [name, { effect: "breathe" }, "breathes", () => effectOf(name) === 1],
        [name, { effect: "okay" }, "says okay", () => effectOf(name) === 2],
      ] as const,
  ),
  // It always heats, and its definition sends nothing for it.
  ["tuyaValve", { mode: 2 }, "says that it heats", () => rig.latest(ieeeOf("tuyaValve"), "mode") === 2],
  ["tuyaValve", { targetTemp: 18 }, "heats to 18 °C", () => home.tuyaValve.value("setpoint") === 18],
  ["tuyaValve", { targetTemperature: 23 }, "heats to 23 °C", () => home.tuyaValve.value("setpoint") === 23],
];

const stopped = ["cover", "tiltBlind", "tuyaCover"] as const;

function effectOf(name: Name): number | null | undefined {
  return (home[name].endpoints[0]?.cluster(identify, "server") as Identify | undefined)?.effect;
}

function isAlarming(loudness: number): boolean {
  const { mode, level: how, hasStrobe } = home.siren.warning;
  return mode === 1 && how === loudness && hasStrobe;
}

/** Returns the value of an attribute as the device holds it. */
function held(device: ZclDevice, [cluster, attribute, , id]: Effect): unknown {
  const servers = device.endpoints.filter((each) => id === undefined || each.id === id);
  const found = servers.map((each) => each.cluster(cluster, "server")).find((each) => each !== undefined);
  return found?.attribute(attribute, null)?.value;
}

let rig: Rig;

describe("every command of every kind of actuator", () => {
  before(async () => {
    rig = await startRig();
    await rig.pairAll(names.map((name) => home[name]));
  });
  after(() => rig.close());

  for (const { name, wanted, effects, part = "" } of rows) {
    test(`${name}${part}: ${JSON.stringify(wanted)}`, async () => {
      await rig.set(`${ieeeOf(name)}${part}`, wanted);
      for (const effect of effects)
        await rig.until(`${name} ${JSON.stringify(effect)}`, () => held(home[name], effect) === effect[2]);
    });
  }

  for (const [name, wanted, does, isDone] of acts) {
    test(`${name}: ${JSON.stringify(wanted)}: ${does}`, async () => {
      await rig.set(ieeeOf(name), wanted);
      await rig.until(`${name} ${does}`, isDone);
    });
  }

  for (const name of ["cover", "tiltBlind"] as const) {
    test(`${name}: stops on its way`, async () => {
      await rig.set(ieeeOf(name), { position: 0 });
      await rig.until("its motor", () => home[name].isMoving);
      await rig.set(ieeeOf(name), { stop: true });
      assert.equal(home[name].isMoving, false);
      assert.ok(home[name].lift < 100);
    });
  }

  test("tuyaCover: stops on its way", async () => {
    home.tuyaCover.show("action", 0);
    await rig.set(ieeeOf("tuyaCover"), { stop: true });
    assert.equal(home.tuyaCover.value("action"), 1);
  });

  test("identifies itself", async () => {
    await rig.send(ieeeOf("lamp"), { type: "identify" });
    assert.equal(held(home.lamp, [identify, 0, 10]), 10);
  });

  test("sets every attribute that any of them can be told", () => {
    const told: readonly (readonly [native: string, wanted: AttributeValues])[] = [
      ...rows.map(({ name, wanted, part = "" }) => [`${ieeeOf(name)}${part}`, wanted] as const),
      ...acts.map(([name, wanted]) => [ieeeOf(name), wanted] as const),
      ...stopped.map((name) => [ieeeOf(name), { stop: true }] as const),
    ];
    for (const { native, class: type, capabilities } of rig.announced) {
      const device = { type, capabilities: { values: capabilities }, state: {} };
      for (const attribute of Object.keys(attributes).filter((one) => isSettable(device, one)))
        if (attribute !== "transitionMsec")
          assert.ok(
            told.some(([id, wanted]) => id === native && attribute in wanted),
            `${native} ${type} ${attribute}`,
          );
    }
  });

  test("refuses what a device refuses, with its status, and says so at once", async () => {
    home.lock.lock.jam();
    const refused = rig.set(ieeeOf("lock"), { locked: false });
    assert.equal(await codeOf(refused), "refused");
    await assert.rejects(refused, /FAILURE/);
    home.lock.lock.jam(false);
    await rig.set(ieeeOf("lock"), { locked: true });
    // Beyond the limits of the valve.
    const hot = rig.set(ieeeOf("radiatorValve"), { targetTemperature: 45 });
    assert.equal(await codeOf(hot), "refused");
    await assert.rejects(hot, /INVALID_VALUE/);
  });
});
