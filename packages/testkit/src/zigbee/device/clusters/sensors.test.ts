import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import type { ClimateSensor } from "../devices/climate-sensor.ts";
import { octets, TestLine } from "../test-line.ts";
import type { Quantity } from "./measurement.ts";
import { Measurement } from "./measurement.ts";

const ieee = "0x00124b0022222222";

const scales: readonly [Quantity, number | null, number | null][] = [
  ["temperature", 21.37, 2137],
  ["temperature", -12.5, -1250],
  ["temperature", null, null],
  ["humidity", 45.5, 4550],
  ["pressure", 1013.4, 1013],
  ["illuminance", 0, 0],
  ["illuminance", 1, 1],
  ["illuminance", 100, 20_001],
  ["carbonDioxide", 800, 0.0008],
];
for (const [quantity, value, expected] of scales) {
  test(`${quantity}: encodes ${value} as ${expected}`, () => {
    const cluster = new Measurement(quantity, 0);
    cluster.measure(value);
    assert.deepEqual(cluster.get("measured"), expected);
  });
}

test("reports its measurements once reporting is configured", () => {
  const sensor: ClimateSensor = devices.multiSensor(ieee);
  const line = new TestLine(sensor);
  sensor.setTemperature(22);
  assert.deepEqual(line.reports(), []);
  line.report(0x0402, 0, { type: "int16", minSeconds: 0, maxSeconds: 3600, change: 10 });
  line.heard();
  sensor.setTemperature(22.05);
  sensor.setTemperature(22.1);
  assert.deepEqual(line.reports(), [[0x0402, 0, 2210]]);
  assert.throws(() => sensor.measure("illuminance", 5), /does not measure illuminance/);
});

test("stays occupied for a while after the last movement", () => {
  const sensor = devices.occupancy(ieee);
  const line = new TestLine(sensor);
  line.report(0x0406, 0, { type: "map8", minSeconds: 0, maxSeconds: 3600, change: null });
  line.write(0x0406, 0x0010, { type: "uint16", value: 10 });
  sensor.move();
  line.clock.advance(9000);
  sensor.move();
  line.clock.advance(9999);
  assert.equal(sensor.isOccupied, true);
  line.clock.advance(1);
  assert.deepEqual(
    line.reports().map(([, , value]) => value),
    [1, 0],
  );
});

test("reports the battery attributes that the device has", () => {
  const sensor = devices.multiSensor(ieee);
  const line = new TestLine(sensor);
  sensor.battery(40);
  assert.deepEqual([line.read(1, 0x0020), line.read(1, 0x0021)], [24, 80]);
  const dimmer = devices.hueDimmer(ieee);
  const other = new TestLine(dimmer);
  dimmer.battery(40);
  const at = { endpoint: 2 };
  assert.deepEqual([other.read(1, 0x0020, at), other.read(1, 0x0021, at)], [{ status: 0x86 }, 80]);
});

test("a socket counts energy while it is on", () => {
  const socket = devices.socket(ieee);
  const line = new TestLine(socket);
  socket.load(2300);
  assert.equal(line.read(0x0b04, 0x050b), 0, "it is off");
  line.tell(0x0006, 0x01);
  assert.deepEqual(
    [0x050b, 0x0508, 0x0505].map((id) => line.read(0x0b04, id)),
    [23_000, 10_000, 230],
  );
  line.clock.advance(3_600_000);
  assert.equal(line.read(0x0702, 0x0000), 230, "hundredths of a kilowatt hour");
  assert.ok(Math.abs(socket.kiloWattHours - 2.3) < 1e-9);
  socket.pressLocally();
  line.clock.advance(3_600_000);
  assert.equal(line.read(0x0702, 0x0000), 230);
  assert.equal(line.read(0x0b04, 0x050b), 0);
});

test("a sleepy device checks in, and polls fast as long as requested", () => {
  const sensor = devices.contact(ieee);
  const line = new TestLine(sensor);
  line.bind(0x0020);
  line.write(0x0020, 0x0000, { type: "uint32", value: 4 * 60 });
  line.clock.advance(60_000);
  assert.deepEqual(
    line.heard().map(({ cluster, header }) => [cluster, header.command]),
    [[0x0020, 0x00]],
  );
  line.tell(0x0020, 0x00, { payload: octets([1, 1], [8, 2]) });
  assert.equal(sensor.pollControl.isFast, true);
  line.clock.advance(2000);
  assert.equal(sensor.pollControl.isFast, false);
});
