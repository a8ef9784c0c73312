import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import type { AlarmSensor } from "../devices/alarm-sensor.ts";
import type { Heard } from "../test-line.ts";
import { octets, TestLine } from "../test-line.ts";

const zone = 0x0500;
const hub = "0x00124b0000000001";

function sensor(): { sensor: AlarmSensor; line: TestLine } {
  const device = devices.motion("0x00124b0011111111");
  return { sensor: device, line: new TestLine(device) };
}

function commands(heard: readonly Heard[]): [command: number, payload: number[]][] {
  return heard
    .filter(({ header }) => header.isClusterSpecific)
    .map(({ header, payload }) => [header.command, [...payload]]);
}

function enrol(line: TestLine, code = 0, zoneId = 5): void {
  line.write(zone, 0x0010, { type: "ieee", value: hub });
  line.clock.advance(100);
  line.tell(zone, 0x00, { payload: octets([code, 1], [zoneId, 1]) });
}

test("asks to be enrolled after it has answered the write of an address", () => {
  const { line } = sensor();
  const atOnce = line.write(zone, 0x0010, { type: "ieee", value: hub });
  assert.deepEqual(commands(atOnce), []);
  assert.equal(line.read(zone, 0x0010), hub);
  line.clock.advance(100);
  assert.deepEqual(
    commands(line.heard()),
    [[0x01, [0x0d, 0x00, 0x71, 0x12]]],
    "the zone type motion, and the manufacturer",
  );
});

test("is silent until enrolled, then reports each change", () => {
  const { sensor: it, line } = sensor();
  it.alarm(true);
  assert.deepEqual(line.heard(), []);
  it.alarm(false);
  enrol(line);
  line.heard();
  assert.equal(line.read(zone, 0x0000), 1);
  it.alarm(true);
  it.alarm(true);
  it.alarm(true, "tamper");
  it.battery(5);
  assert.deepEqual(commands(line.heard()), [
    [0x00, [0x01, 0, 0, 5, 0, 0]],
    [0x00, [0x05, 0, 0, 5, 0, 0]],
    [0x00, [0x0d, 0, 0, 5, 0, 0]],
  ]);
  assert.equal(line.read(zone, 0x0002), 0x0d);
});

test("is not enrolled after a refusal, without an address, or after leaving", () => {
  const { sensor: it, line } = sensor();
  line.tell(zone, 0x00, { payload: octets([0, 1], [5, 1]) });
  assert.equal(it.zone.isEnrolled, false, "no address was written");
  enrol(line, 1);
  assert.equal(it.zone.isEnrolled, false, "refused");
  enrol(line);
  assert.equal(it.zone.isEnrolled, true);
  it.left();
  assert.equal(it.zone.isEnrolled, false);
});

test("ends a movement some time after the last one", () => {
  const { sensor: it, line } = sensor();
  enrol(line);
  it.move();
  line.clock.advance(50_000);
  it.move();
  line.clock.advance(50_000);
  assert.equal(it.zone.has("alarm1"), true);
  line.clock.advance(10_000);
  assert.equal(it.zone.has("alarm1"), false);
});

test("keeps the alarms of a door and of water until they end, and can wait to be enrolled", () => {
  const door = devices.unknownContact("0x00124b0011111112");
  const line = new TestLine(door);
  line.write(zone, 0x0010, { type: "ieee", value: hub });
  line.clock.advance(1000);
  assert.deepEqual(commands(line.heard()), []);
  line.tell(zone, 0x00, { payload: octets([0, 1], [1, 1]) });
  door.open();
  line.clock.advance(600_000);
  door.close();
  assert.deepEqual(
    commands(line.heard()).map(([, payload]) => payload[0]),
    [1, 0],
  );
  const leak = devices.leak("0x00124b0011111113");
  leak.leak();
  assert.equal(leak.zone.has("alarm1"), true);
  leak.leak(false);
  assert.equal(leak.zone.has("alarm1"), false);
});
