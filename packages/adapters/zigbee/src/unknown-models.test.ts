import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ConfigurationValue } from "@ledge/model";
import type { Ieee, LoggedFrame } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import type { Rig } from "./test-rig.ts";
import { codeOf, startRig } from "./test-rig.ts";

const [level, electrical] = [0x0008, 0x0b04];
/** The status of a frame that no device has acknowledged. */
const noAck = 0xe9;

/** Whether a frame asks a device for attributes of a cluster. */
function asks({ from, cluster, payload }: LoggedFrame, of: number): boolean {
  return from === null && cluster === of && payload[2] === 0;
}

/** Whether a frame sets up the reports of an attribute (frame control, sequence, 6, direction, identifier). */
function configures({ from, cluster, payload }: LoggedFrame, of: number, attribute: number): boolean {
  const [, , command, , low = 0, high = 0] = payload;
  return from === null && cluster === of && command === 6 && low + (high << 8) === attribute;
}

describe("a device that no definition knows", () => {
  const meter = devices.unknownMeter("0x000b57fffe000001");
  const thermostat = devices.unknownThermostat("0x000b57fffe000002");
  const lamp = devices.unknownColorLamp("0x000b57fffe000003");
  const socket = devices.unknownSocket("0x000b57fffe000004");
  const apart = devices.unknownPhaseMeter("0x000b57fffe000006");
  const battery = devices.unknownBatteryMeter("0x000b57fffe000007");
  const twin = devices.unknownTwinMeter("0x000b57fffe000008");
  let rig: Rig;

  before(async () => {
    rig = await startRig();
    await rig.pairAll([meter, thermostat, lamp, socket, apart, battery, twin]);
  });
  after(() => rig.close());

  const shows = (ieee: Ieee, name: string, value: unknown): Promise<void> =>
    rig.until(`${name} ${String(value)}`, () => rig.latest(ieee, name) === value);
  const setting = (ieee: Ieee, name: string): ConfigurationValue | undefined =>
    rig.announced.findLast(({ native }) => native === ieee)?.configuration?.values?.[name];
  const configure = (
    ieee: Ieee,
    parameters: Readonly<Record<string, ConfigurationValue>>,
  ): Promise<unknown> => rig.ask({ type: "SET_CONFIGURATION", native: ieee, parameters });

  test("shows the mains of each phase, the energy that it feeds in, and its temperature", async () => {
    for (const [name, value] of [
      ["voltageA", 230],
      ["voltageC", 230],
      ["frequency", 50],
      ["powerFactorB", 0],
      ["producedEnergy", 0],
      ["deviceTemperature", 31],
    ] as const)
      await shows(meter.ieee, name, value);
    assert.equal(rig.latest(meter.ieee, "voltage"), undefined);
  });

  test("shows what has changed", async () => {
    meter.mains.carry(0, { volts: 235.5, amperes: 10, watts: 2300 });
    meter.mains.carry(1, { volts: 230, amperes: 4.5, watts: -1000 });
    meter.metering.feed(12.5);
    await rig.send(meter.ieee, { type: "refresh" });
    for (const [name, value] of [
      ["voltageA", 235.5],
      ["currentA", 10],
      ["powerA", 2300],
      ["apparentPowerA", 2355],
      ["reactivePowerA", 506],
      ["currentB", 4.5],
      ["powerB", -1000],
      ["power", 1300],
      ["producedEnergy", 12.5],
    ] as const)
      await shows(meter.ieee, name, value);
  });

  test("shows phases that are measured on an endpoint each, and their sums", async () => {
    const loads = [
      { volts: 231, amperes: 10, watts: 2310 },
      { volts: 229.5, amperes: 2, watts: 400 },
      { volts: 230, amperes: 5, watts: -1000 },
    ] as const;
    for (const [index, load] of loads.entries()) {
      apart.phases[index]?.mains.carry(0, load);
      apart.phases[index]?.metering.feed(index + 0.5);
    }
    await rig.send(apart.ieee, { type: "refresh" });
    for (const [name, value] of [
      ["voltageA", 231],
      ["voltageB", 229.5],
      ["currentC", 5],
      ["powerC", -1000],
      ["power", 1710],
      ["producedEnergyB", 1.5],
      ["producedEnergy", 4.5],
      ["energyC", 0],
      ["totalPower", 0],
      ["frequency", 50],
    ] as const)
      await shows(apart.ieee, name, value);
    assert.equal(rig.latest(apart.ieee, "voltage"), undefined);
    assert.equal(
      rig.reports.some(({ native }) => native.startsWith(`${apart.ieee}/`)),
      false,
      "one device",
    );
  });

  test("has each phase report by itself", async () => {
    apart.phases[1]?.mains.carry(0, { volts: 240, amperes: 3, watts: 700 });
    for (const [name, value] of [
      ["powerB", 700],
      ["power", 2010],
    ] as const)
      await shows(apart.ieee, name, value);
  });

  test("shows what meters on two endpoints count as phases, and their sums", async () => {
    twin.lines[0].draw(1500);
    twin.lines[1].draw(-200);
    await rig.send(twin.ieee, { type: "refresh" });
    for (const [name, value] of [
      ["powerA", 1500],
      ["powerB", -200],
      ["power", 1300],
      ["activePower", 1300],
      ["energyB", 0],
      ["totalPower", 0],
    ] as const)
      await shows(twin.ieee, name, value);
    twin.lines[1].draw(300);
    await shows(twin.ieee, "powerB", 300);
    await shows(twin.ieee, "power", 1800);
    assert.equal(rig.latest(twin.ieee, "powerA"), 1500);
  });

  test("shows the direct current of a battery, which is charged and discharged", async () => {
    for (const [volts, amperes, watts] of [
      [51.2, 12.5, 640],
      [53.04, -20, -1060.8],
    ] as const) {
      battery.current.carry(volts, amperes);
      await rig.send(battery.ieee, { type: "refresh" });
      await shows(battery.ieee, "power", watts);
      await shows(battery.ieee, "voltage", volts);
      await shows(battery.ieee, "current", amperes);
    }
    battery.current.carry(48, null);
    await rig.send(battery.ieee, { type: "refresh" });
    await shows(battery.ieee, "voltage", 48);
    assert.equal(rig.latest(battery.ieee, "current"), -20, "a reading that fails changes nothing");
  });

  test("drops the invalid values of a reading that fails", async () => {
    meter.mains.show(2, "voltage", null);
    meter.mains.show(2, "current", null);
    meter.metering.feed(null);
    meter.temperature.measure(null);
    const said = rig.reports.length;
    await rig.send(meter.ieee, { type: "refresh" });
    await rig.until("the answers", () =>
      rig.reports.slice(said).some(({ attributes }) => "powerA" in attributes),
    );
    assert.equal(rig.latest(meter.ieee, "voltageC"), 230);
    assert.equal(rig.latest(meter.ieee, "deviceTemperature"), 31);
    meter.temperature.measure(33);
    await rig.send(meter.ieee, { type: "refresh" });
    await shows(meter.ieee, "deviceTemperature", 33);
  });

  test("is asked now and then for what the standard does not let it report", async () => {
    meter.temperature.measure(35);
    meter.mains.show(0, "factor", -42);
    rig.hurry();
    await shows(meter.ieee, "deviceTemperature", 35);
    await shows(meter.ieee, "powerFactorA", -0.42);
    meter.temperature.measure(36);
    rig.hurry();
    await shows(meter.ieee, "deviceTemperature", 36);
  });

  test("shows the one voltage of a socket", async () => {
    await shows(socket.ieee, "voltage", 230);
    await shows(socket.ieee, "frequency", 50);
    await rig.set(socket.ieee, { isOn: true });
    socket.load(460);
    await rig.send(socket.ieee, { type: "refresh" });
    await shows(socket.ieee, "current", 2);
    const described = rig.announced.find(({ native }) => native === socket.ieee);
    assert.ok(described?.capabilities.includes("CURRENT"));
    assert.ok(!described?.capabilities.includes("PHASES"));
  });

  test("has the options of its level as settings", async () => {
    await rig.until("the fade", () => setting(lamp.ieee, "onOffTransitionTime") === 0);
    assert.equal(setting(lamp.ieee, "onLevel"), 255);
    await configure(lamp.ieee, {
      onLevel: 100,
      onOffTransitionTime: 1.5,
      executeIfOff: true,
      coupleColorTempToLevel: true,
    });
    await rig.until("the option", () => setting(lamp.ieee, "executeIfOff") === true);
    const held = (id: number): unknown =>
      lamp.endpoints[0]?.cluster(level, "server")?.attribute(id, null)?.value;
    assert.deepEqual([held(0x000f), held(0x0010), held(0x0011)], [3, 15, 100]);
    await configure(lamp.ieee, { executeIfOff: false, onLevel: 255 });
    await rig.until("the option", () => setting(lamp.ieee, "executeIfOff") === false);
    assert.deepEqual([held(0x000f), held(0x0011)], [2, null]);
  });

  test("keeps the weekly schedule of a thermostat", async () => {
    const [monday, sunday] = ["weekly_schedule.monday", "weekly_schedule.sunday"] as const;
    const tuesday = "weekly_schedule.tuesday";
    await rig.until("the empty days", () => setting(thermostat.ieee, sunday) === "");
    await configure(thermostat.ieee, { [sunday]: "" });
    assert.deepEqual(thermostat.schedule?.of(0), []);
    await configure(thermostat.ieee, { [monday]: "6:30/20.5 22:00/17", [sunday]: "08:00/21", [tuesday]: "" });
    assert.deepEqual(thermostat.schedule?.of(1), [
      { minute: 390, setpoint: 2050 },
      { minute: 1320, setpoint: 1700 },
    ]);
    assert.deepEqual(thermostat.schedule?.of(0), [{ minute: 480, setpoint: 2100 }]);
    await rig.until(
      "the day as it is kept",
      () => setting(thermostat.ieee, monday) === "06:30/20.5 22:00/17",
    );
    assert.equal(await codeOf(configure(thermostat.ieee, { [monday]: "" })), "refused");
    const wrong = configure(thermostat.ieee, { [monday]: "when I wake up" });
    assert.equal(await codeOf(wrong), "refused");
    await assert.rejects(wrong, /monday: write times with setpoints/);
    const long = configure(thermostat.ieee, {
      [monday]: Array.from({ length: 7 }, () => "06:00/20").join(" "),
    });
    await assert.rejects(long, /keeps at most 6 times/);
    rig.announced.length = 0;
    await rig.restart();
    assert.equal(setting(thermostat.ieee, monday), "06:30/20.5 22:00/17", "it is known after a restart");
  });

  test("shows readings that it did not tell when it joined, once it has told them", async () => {
    const late = devices.unknownSocket("0x000b57fffe000005");
    rig.air.interference = (frame) =>
      frame.to === late.ieee && asks(frame, electrical) && frame.payload.length > 5 ? noAck : undefined;
    await rig.pair(late);
    const has = (): boolean =>
      rig.announced.findLast(({ native }) => native === late.ieee)?.capabilities.includes("VOLTAGE") === true;
    assert.ok(!has());
    rig.air.interference = null;
    await rig.restart();
    await rig.until("its voltage", () => has() && rig.latest(late.ieee, "voltage") === 230);
    await rig.until("its reports of current", () =>
      rig.air.log.frames.some((frame) => frame.to === late.ieee && configures(frame, electrical, 0x0508)),
    );
  });
});
