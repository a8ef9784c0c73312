import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Refused } from "@ledge/api";
import { features as codesOf } from "@ledge/model";
import { openTestKernel, SimulatedClock, sticks as hardware, TestMachine } from "@ledge/testkit";
import type { Answer } from "dns-packet";
import { NetworkSticks } from "./network-sticks.ts";
import { Sticks } from "./sticks.ts";

const machine = new TestMachine();
const remote = "tcp://10.0.0.7:6638";
const espHome = "esphome://10.0.0.8:6053";
const modbus = { ports: [{ transport: { type: "rtu", path: machine.path("dev/ttyUSB1") } }] };
const testKernel = openTestKernel();
const { kernel } = testKernel;
const hubId = await testKernel.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
const features = (...codes: number[]) =>
  testKernel.accept({ type: "SET_FEATURES", id: hubId, features: codes });
await features(codesOf.MODBUS, codesOf.ZWAVE);
const network = new NetworkSticks(new SimulatedClock());
const sticks = new Sticks({
  kernel,
  adapters: { zigbee: {}, zwave: {}, modbus },
  systemRoot: machine.root,
  network,
});
const zbt2 = {
  tty: "ttyACM2",
  vendorId: "303a",
  productId: "4001",
  manufacturer: "Nabu Casa",
  product: "ZBT-2",
  serial: "10B41DE58D6C",
};
const chip = {
  tty: "ttyUSB2",
  vendorId: "10c4",
  productId: "ea60",
  manufacturer: "Silicon Labs",
  product: "CP2102N USB to UART Bridge Controller",
};
for (const stick of [...Object.values(hardware), zbt2, chip]) machine.plug(stick);
machine.uart("ttyAMA0", "uart-pl011", 32);

after(() => machine.remove());

test("lists each port with its model, the certainty, and the adapter that uses it", async () => {
  const listed = (await sticks.list()).map(({ node, model, certainty, protocol, driver, usedBy }) => [
    node?.replace(/.*\//, ""),
    model,
    certainty,
    protocol,
    driver,
    usedBy,
  ]);
  assert.deepEqual(
    new Set(listed),
    new Set([
      ["ttyUSB0", "Sonoff ZBDongle-P", "sure", "zigbee", "zstack", null],
      ["ttyACM0", "ConBee II", "sure", "zigbee", "deconz", null],
      ["ttyACM1", "Z-Wave stick of the 500 series", "likely", "zwave", "zwave", null],
      ["ttyACM2", "Home Assistant Connect ZBT-2", "sure", "zigbee", "ember", null],
      ["ttyUSB1", null, null, null, null, "modbus"],
      ["ttyUSB2", "Z-Wave stick of the 700 series", "unsure", "zwave", "zwave", null],
      ["ttyAMA0", null, null, null, null, null],
    ]),
  );
});

test("also lists ports in use that are unplugged or remote", async () => {
  const gone = machine.path("dev/serial/by-id/usb-gone-if00");
  const adapters = { zigbee: { radio: { path: remote } }, zwave: { radio: { path: gone } } };
  const listed = await new Sticks({ kernel, adapters, systemRoot: machine.root, network }).list();
  const used = listed.filter(({ usedBy }) => usedBy !== null);
  assert.deepEqual(
    used.map(({ port, isThere, usedBy }) => [port, isThere, usedBy]),
    [
      [remote, null, "zigbee"],
      [gone, false, "zwave"],
    ],
  );
});

const dongle = machine.portOf(hardware.dongleP);
const taken = { type: "TAKE_STICK", id: "zigbee", baudRate: null, rtscts: null };

test("accepts a stick under any of its names, and adds the settings that it is known to need", async () => {
  const command = { ...taken, port: dongle, driver: "zstack" };
  for (const port of [dongle, machine.path("dev/ttyUSB0")])
    assert.deepEqual(await sticks.taking({ port, protocol: "zigbee" }), command);
  const port = machine.portOf(zbt2);
  const known = { ...taken, port, driver: "ember", baudRate: 460_800, rtscts: true };
  assert.deepEqual(await sticks.taking({ port, protocol: "zigbee" }), known);
  const other = { port, protocol: "zigbee", driver: "zboss" };
  assert.deepEqual(await sticks.taking(other), { ...taken, port, driver: "zboss" });
  const slow = { port, protocol: "zigbee", baudRate: 115_200, rtscts: false };
  assert.deepEqual(await sticks.taking(slow), { ...known, baudRate: 115_200, rtscts: false });
  const far = { port: remote, protocol: "zigbee", driver: "zstack" };
  assert.deepEqual(await sticks.taking(far), { ...taken, port: remote, driver: "zstack" });
});

type Refusal = readonly [wanted: Parameters<Sticks["taking"]>[0], status: number, message: RegExp];
const refusals: readonly Refusal[] = [
  [{ port: dongle, protocol: "modbus" }, 422, /protocol must be one of zigbee, zwave/],
  [{ port: dongle, protocol: "constructor" }, 422, /protocol must be one of/],
  [{ port: machine.path("dev/ttyUSB9"), protocol: "zigbee" }, 422, /port is no serial port of this hub/],
  [{ port: "/etc/passwd", protocol: "zigbee", driver: "zstack" }, 422, /port is no serial port of this hub/],
  [{ port: "ttyUSB0", protocol: "zigbee" }, 422, /port is no serial port/],
  [{ port: dongle, protocol: "zwave" }, 422, /port is a Sonoff ZBDongle-P, which is for zigbee/],
  [{ port: dongle, protocol: "zigbee", driver: "zwave" }, 422, /driver must be one of zstack, ember/],
  [
    { port: machine.portOf(chip), protocol: "zwave" },
    422,
    /driver must be given, as nobody knows what is there/,
  ],
  [{ port: machine.path("dev/ttyAMA0"), protocol: "zigbee" }, 422, /driver must be given/],
  [{ port: remote, protocol: "zigbee" }, 422, /driver must be given/],
  [{ port: machine.path("dev/ttyUSB1"), protocol: "zigbee", driver: "zstack" }, 422, /is in use by modbus/],
  ...[
    "tcp://",
    "tcp://host",
    "tcp://host:0",
    "tcp://:6638",
    "tcp://u@host:1",
    "tcp://host:1/x",
    "tcp://host:99999",
  ].map((port): Refusal => [
    { port, protocol: "zigbee", driver: "zstack" },
    422,
    /port must be tcp:\/\/host:port/,
  ]),
  [{ port: "esphome://host", protocol: "zwave", driver: "zwave" }, 422, /port must be esphome:\/\/host:port/],
  [{ port: espHome, protocol: "zigbee", driver: "zstack" }, 422, /port reaches only Z-Wave sticks/],
  [{ port: espHome, protocol: "zwave" }, 422, /driver must be given/],
];

for (const [wanted, status, message] of refusals) {
  test(`refuses ${JSON.stringify(wanted).replaceAll(machine.root, "")}`, async () => {
    const refused = await sticks.taking(wanted);
    assert.ok(refused instanceof Refused);
    assert.equal(refused.status, status);
    assert.match(refused.message, message);
  });
}

test("takes a Z-Wave stick behind ESPHome", async () => {
  const command = await sticks.taking({ port: espHome, protocol: "zwave", driver: "zwave" });
  const how = { driver: "zwave", baudRate: null, rtscts: null };
  assert.deepEqual(command, { type: "TAKE_STICK", id: "zwave", port: espHome, ...how });
});

test("refuses a stick for an adapter that the profile lacks, with the reason", async () => {
  const bare = new Sticks({ kernel, adapters: {}, systemRoot: machine.root, network });
  const refused = await bare.taking({ port: dongle, protocol: "zigbee" });
  assert.ok(refused instanceof Refused);
  assert.deepEqual([refused.status, refused.message], [422, "the profile of this hub has no zigbee adapter"]);
});

test("a port without udev is listed by its device node", async () => {
  const { port } = (await sticks.list()).find(({ node }) => node?.endsWith("ttyAMA0")) ?? {};
  assert.equal(port, machine.path("dev/ttyAMA0"));
});

describe("a coordinator on the network", () => {
  const there = new NetworkSticks(new SimulatedClock());
  const type = "_slzb-06._tcp.local";
  const name = `SLZB-06.${type}`;
  const home = new Sticks({ kernel, adapters: { zigbee: {} }, systemRoot: machine.root, network: there });
  const port = "tcp://192.168.1.20:6638";
  const records = (address: string): Answer[] => [
    { type: "PTR", name: type, ttl: 120, data: name },
    { type: "SRV", name, ttl: 120, data: { target: "c.local", port: 6638, priority: 0, weight: 0 } },
    { type: "TXT", name, ttl: 120, data: ["radio_type=ezsp"] },
    { type: "A", name: "c.local", ttl: 120, data: address },
  ];

  test("is listed with the driver that it announces, and taken without naming one", async () => {
    there.heard(records("192.168.1.20"));
    const stick = (await home.list()).find((one) => one.port === port);
    const { isThere, model, certainty, protocol, driver, usedBy } = stick ?? assert.fail();
    assert.deepEqual(
      [isThere, model, certainty, protocol, driver, usedBy],
      [true, "SMLIGHT SLZB-06 (SLZB-06)", "likely", "zigbee", "ember", null],
    );
    const taking = await home.taking({ port, protocol: "zigbee" });
    assert.ok("driver" in taking);
    assert.equal(taking.driver, "ember");
  });

  test("is none at an address outside of the local networks", async () => {
    const elsewhere = new NetworkSticks(new SimulatedClock());
    elsewhere.heard(records("203.0.113.7"));
    assert.deepEqual(elsewhere.list(), []);
  });
});
