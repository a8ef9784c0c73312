import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Ieee, ServedStick } from "@ledge/testkit/zigbee";
import { devices, otaImage, serveStick, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import type { Controller } from "zigbee-herdsman";
import type { Definition } from "zigbee-herdsman-converters";
import { findByDevice, setLogger as setConvertersLogger } from "zigbee-herdsman-converters";
import { herdsmanAt, stopHerdsman } from "./test-herdsman.ts";

const quiet = (): void => {};
const silent = { debug: quiet, info: quiet, warning: quiet, error: quiet };
setConvertersLogger(silent);

type Name = keyof typeof devices;

/** The model names in the converters' library, or its guess from clusters for unknown models. */
const models: Readonly<Record<Name, string>> = {
  lamp: "9290011370",
  whiteLamp: "LED1545G12",
  colorLamp: "9290012573A",
  unknownLamp: "GenericLamp1",
  unknownColorLamp: "GenericColor1",
  socket: "SP 120",
  unknownSocket: "GenericSocket1",
  unknownMeter: "HomeMeter1",
  unknownPhaseMeter: "PhaseMeter1",
  unknownTwinMeter: "TwinMeter1",
  unknownBatteryMeter: "BatteryMeter1",
  wallSwitch: "TS0012_switch_module",
  unknownWallSwitch: "GenericSwitch2",
  multiSensor: "ClimateSensor1",
  occupancy: "OccupancySensor1",
  motionWithLux: "9290012607",
  aqaraWeather: "WSDCGQ11LM",
  tuyaClimate: "TS0601_temperature_humidity_sensor_1",
  motion: "HS3MS",
  contact: "HS3DS",
  leak: "HS1WL/HS3WL",
  smoke: "HS1SA-E",
  carbonMonoxide: "HS1CA-E",
  vibration: "Vibration1",
  unknownContact: "GenericContact1",
  upgradableContact: "UpgradableContact1",
  siren: "HS2WD-E",
  thermostat: "Zen-01-W",
  radiatorValve: "RadiatorValve1",
  unknownThermostat: "WallThermostat1",
  tuyaValve: "BRT-100-TRV",
  cover: "E1757",
  tiltBlind: "TiltBlind1",
  tuyaCover: "TS0601_cover_3",
  lock: "YRD226HA2619",
  pinLock: "PinLock1",
  unknownLock: "GenericLock1",
  waterValve: "WaterValve1",
  fan: "99432",
  remote: "E1524/E1810",
  dimmer: "ICTC-G-1",
  hueDimmer: "324131092621",
  tuyaRemote: "TS004F_1",
  unknownRemote: "GenericRemote1",
};
const names = Object.keys(devices) as Name[];

const ieeeOf = (name: Name): Ieee => `0x00158d00000001${names.indexOf(name).toString(16).padStart(2, "0")}`;

const home = Object.fromEntries(names.map((name) => [name, devices[name](ieeeOf(name))])) as {
  [One in Name]: ReturnType<(typeof devices)[One]>;
};

/** An action at a device, and the message that results. */
const acts: readonly [Name, () => void, type: string, data: object][] = [
  ["wallSwitch", () => home.wallSwitch.pressLocally(2), "attributeReport", { onOff: 1 }],
  ["contact", () => home.contact.open(), "commandStatusChangeNotification", { zonestatus: 1 }],
  ["motion", () => home.motion.move(), "commandStatusChangeNotification", { zonestatus: 1 }],
  ["multiSensor", () => home.multiSensor.setTemperature(23.5), "attributeReport", { measuredValue: 2350 }],
  ["aqaraWeather", () => home.aqaraWeather.setTemperature(19.5), "attributeReport", { measuredValue: 1950 }],
  [
    "aqaraWeather",
    () => home.aqaraWeather.battery(2985),
    "attributeReport",
    { 65281: { 1: 2985, 100: 1950 } },
  ],
  ["hueDimmer", () => home.hueDimmer.press("up", "hold"), "commandHueNotification", { button: 2, type: 1 }],
  ["tuyaRemote", () => home.tuyaRemote.press("3", "double"), "commandTuyaAction", { value: 1 }],
  ["remote", () => home.remote.press("toggle"), "commandToggle", {}],
  ["dimmer", () => home.dimmer.press("dial", "up"), "commandMoveWithOnOff", { movemode: 0, rate: 195 }],
  ["socket", () => home.socket.pressLocally(), "attributeReport", { onOff: 1 }],
  ["lock", () => home.lock.lock.turn(false), "attributeReport", { lockState: 2 }],
];

/** zigbee-herdsman and its converters must accept the simulated devices as real ones. */
function standBeforeHerdsman(those: readonly Name[]): void {
  const air = new SimulatedAir();
  const interviews = new Map<string, string>();
  const messages: { ieee: string; type: string; data: unknown }[] = [];
  let folder: string;
  let served: ServedStick<Stick>;
  let controller: Controller;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ledge-zigbee-"));
    served = await serveStick(new Stick({ air }));
    controller = herdsmanAt(served, folder);
    await controller.start();
    controller.on("deviceInterview", ({ device, status }) => interviews.set(device.ieeeAddr, status));
    controller.on("message", ({ device, type, data }) =>
      messages.push({ ieee: device.ieeeAddr, type, data }),
    );
    await controller.permitJoin(120);
    for (const name of those) {
      // However long it takes to ask them all, none falls asleep before its turn.
      air.add(home[name], { awakeAfterJoinMs: Infinity });
      assert.equal(air.join(home[name].ieee), true, name);
    }
    await until(() => those.every((name) => (interviews.get(home[name].ieee) ?? "started") !== "started"));
  });

  after(async () => {
    await stopHerdsman(controller);
    await served.close();
    await rm(folder, { recursive: true });
  });

  for (const name of those) {
    test(`${name}: is interviewed, recognised as ${models[name]} and configured`, async () => {
      assert.equal(interviews.get(home[name].ieee), "successful");
      const known = controller.getDeviceByIeeeAddr(home[name].ieee);
      const coordinator = controller.getDevicesByType("Coordinator")[0]?.getEndpoint(1);
      assert.ok(known && coordinator);
      const definition = (await findByDevice(known, true)) as Definition;
      assert.equal(definition.model, models[name]);
      const start = { device: known, deviceExposesChanged: quiet, options: {}, state: {} };
      await definition.onEvent?.({ type: "start", data: start });
      await definition.configure?.(known, coordinator, definition);
    });
  }

  for (const [name, act, type, data] of acts.filter(([one]) => those.includes(one))) {
    test(`${name}: an action arrives as ${type} ${JSON.stringify(data)}`, async () => {
      messages.length = 0;
      act();
      const isIt = (one: (typeof messages)[number]): boolean =>
        one.ieee === home[name].ieee && one.type === type && matches(one.data, data);
      await until(() => messages.some(isIt));
    });
  }

  if (!those.includes("lamp")) return;
  test("a lamp installs new firmware and runs it after its return", async () => {
    const { lamp } = home;
    const known = controller.getDeviceByIeeeAddr(lamp.ieee);
    assert.ok(known);
    const firmware = { manufacturerCode: 0x100b, imageType: 0x0104, version: lamp.ota.version + 1 };
    const file = join(folder, "lamp.zigbee");
    await writeFile(file, otaImage(firmware, Buffer.alloc(2000, 0x5a)));
    lamp.ota.onUpgraded = () => air.rejoin(lamp.ieee);
    const progress: number[] = [];
    const speed = { requestTimeout: 10_000, responseDelay: 0, baseSize: 60 };
    const onProgress = (percent: number): void => void progress.push(percent);
    const [, to] = await known.updateOta({ url: file }, undefined, undefined, {}, onProgress, speed);
    assert.equal(to?.fileVersion, firmware.version);
    assert.equal(lamp.ota.version, firmware.version);
    assert.equal(progress.at(-1), 100);
  });
}

// A stick has room for 32 devices.
describe("the first half of the catalogue", () => standBeforeHerdsman(names.slice(0, 17)));
describe("the second half of the catalogue", () => standBeforeHerdsman(names.slice(17)));

/** Whether all expected fields are present; there may be more. */
function matches(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected);
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(([key, value]) =>
    matches((actual as Record<string, unknown>)[key], value),
  );
}
