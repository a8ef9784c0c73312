import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import { octets, TestLine } from "../test-line.ts";
import { status } from "../zcl/status.ts";

const ieee = "0x00124b0033333333";
const [covering, lock, thermostat, fan, warning] = [0x0102, 0x0101, 0x0201, 0x0202, 0x0502];

const ways: readonly [
  string,
  command: number,
  (readonly [number, number])[],
  afterHalf: number,
  end: number,
][] = [
  ["down", 0x01, [], 50, 100],
  ["to a percentage", 0x05, [[50, 1]], 50, 50],
  ["up, where it already is", 0x00, [], 0, 0],
];
for (const [what, command, numbers, afterHalf, end] of ways) {
  test(`cover: ${what}`, () => {
    const cover = devices.cover(ieee);
    const line = new TestLine(cover);
    line.tell(covering, command, { payload: octets(...numbers) });
    line.clock.advance(10_000);
    assert.equal(cover.lift, afterHalf);
    line.clock.advance(60_000);
    assert.equal(cover.lift, end);
  });
}

test("cover: stops on command and refuses values beyond its end; a roller does not tilt", () => {
  const cover = devices.cover(ieee);
  const line = new TestLine(cover);
  line.tell(covering, 0x01);
  line.clock.advance(5000);
  line.tell(covering, 0x02);
  line.clock.advance(60_000);
  assert.equal(cover.lift, 25);
  assert.equal(line.tell(covering, 0x05, { payload: octets([101, 1]) })[0]?.payload[1], status.invalidValue);
  assert.equal(line.tell(covering, 0x08, { payload: octets([9, 1]) })[0]?.payload[1], 0x81);
  const blind = devices.tiltBlind(ieee);
  const other = new TestLine(blind);
  other.tell(covering, 0x08, { payload: octets([40, 1]) });
  other.clock.advance(60_000);
  assert.equal(blind.tilt, 40);
});

test("cover: reports moves by hand and obstacles", () => {
  const cover = devices.cover(ieee);
  const line = new TestLine(cover);
  line.report(covering, 8, { type: "uint8", minSeconds: 0, maxSeconds: 3600, change: 1 });
  cover.pressLocally(50);
  line.clock.advance(2000);
  cover.block();
  line.clock.advance(60_000);
  assert.equal(line.reports().at(-1)?.[2], 10);
});

test("lock: locks, unlocks, locks again on its own, and reports who has moved it", () => {
  const door = devices.lock(ieee);
  const line = new TestLine(door);
  line.bind(lock);
  const heard = line.tell(lock, 0x01);
  assert.deepEqual(
    heard.map(({ header, payload }) => [header.command, [...payload]]),
    [
      [0x20, [1, 2, 0, 0, 0, 255, 255, 255, 255, 0]],
      [0x01, [0]],
    ],
  );
  assert.equal(door.isLocked, false);
  line.tell(lock, 0x02);
  assert.equal(door.isLocked, true);
  line.tell(lock, 0x03, { payload: octets([30, 2]) });
  assert.equal(door.isLocked, false);
  line.clock.advance(30_000);
  assert.equal(door.isLocked, true);
  door.lock.turn(false, "keypad");
  assert.equal(line.heard().at(-1)?.payload[0], 0);
});

test("lock: fails a command and is neither locked nor unlocked while jammed", () => {
  const door = devices.lock(ieee);
  const line = new TestLine(door);
  door.lock.jam();
  assert.deepEqual([...(line.tell(lock, 0x01)[0]?.payload ?? [])], [status.failure]);
  assert.equal(line.read(lock, 0), 0);
});

const demands: readonly [
  string,
  "thermostat" | "radiatorValve",
  celsius: number,
  mode: number,
  number,
  boolean,
][] = [
  ["cold, a valve", "radiatorValve", 19, 4, 50, true],
  ["much too cold, a valve", "radiatorValve", 10, 4, 100, true],
  ["cold, on the wall", "thermostat", 19, 4, 100, true],
  ["warm", "thermostat", 21, 4, 0, false],
  ["cold, but off", "thermostat", 10, 0, 0, false],
];
for (const [what, which, celsius, mode, demand, isHeating] of demands) {
  test(`thermostat at 20 °C: ${what}`, () => {
    const heating = devices[which](ieee);
    const line = new TestLine(heating);
    line.write(thermostat, 0x001c, { type: "enum8", value: mode });
    heating.setTemperature(celsius);
    assert.equal(line.read(thermostat, 0x0000), celsius * 100);
    assert.equal(heating.thermostat.demand, demand);
    assert.equal(heating.thermostat.isHeating, isHeating);
  });
}

test("thermostat: limits its setpoint, which a wheel and a command change", () => {
  const heating = devices.radiatorValve(ieee);
  const line = new TestLine(heating);
  const write = (value: number): number | undefined =>
    line.write(thermostat, 0x0012, { type: "int16", value })[0]?.payload[0];
  assert.deepEqual([write(499), write(3001), write(2250)], [status.invalidValue, status.invalidValue, 0]);
  line.tell(thermostat, 0x00, { payload: octets([0, 1], [5, 1]) });
  assert.equal(line.read(thermostat, 0x0012), 2300);
  heating.turnTo(17);
  assert.equal(line.read(thermostat, 0x0012), 1700);
  assert.equal(
    line.write(thermostat, 0x001c, { type: "enum8", value: 3 })[0]?.payload[0],
    status.invalidValue,
  );
});

test("thermostat: reads the time after it has joined", () => {
  const heating = devices.radiatorValve(ieee);
  const line = new TestLine(heating);
  assert.deepEqual(line.heard(), [], "not before its announcement");
  line.clock.advance(1000);
  const [asked] = line.heard();
  assert.deepEqual(
    [asked?.cluster, asked?.header.command, [...(asked?.payload ?? [])]],
    [0x000a, 0, [0, 0, 7, 0]],
  );
  line.general(0x000a, 0x01, octets([0, 2], [0, 1], [0xe2, 1], [86_400, 4]), { isFromServer: true });
  assert.equal(heating.time.told, Date.UTC(2000, 0, 2));
});

test("fan: refuses an unknown mode", () => {
  const ceiling = devices.fan(ieee);
  const line = new TestLine(ceiling);
  line.write(fan, 0, { type: "enum8", value: 2 });
  assert.equal(ceiling.mode, 2);
  assert.equal(line.write(fan, 0, { type: "enum8", value: 9 })[0]?.payload[0], status.invalidValue);
  ceiling.pull(3);
  assert.equal(line.read(fan, 0), 3);
});

test("siren: sounds as long as requested, up to its maximum, and can be stopped", () => {
  const siren = devices.siren(ieee);
  const line = new TestLine(siren);
  const start = (info: number, seconds: number): void =>
    void line.tell(warning, 0x00, { payload: octets([info, 1], [seconds, 2], [50, 1], [3, 1]) });
  start(0x16, 10);
  assert.deepEqual(
    [siren.isSounding, siren.warning.mode, siren.warning.level, siren.warning.hasStrobe],
    [true, 1, 2, true],
  );
  line.clock.advance(10_000);
  assert.equal(siren.isSounding, false);
  start(0x13, 1000);
  line.clock.advance(239_999);
  assert.equal(siren.isSounding, true);
  start(0x00, 0);
  assert.equal(siren.isSounding, false);
  line.tell(warning, 0x01, { payload: octets([0, 1]) });
  assert.equal(siren.warning.squawks, 1);
});

test("wall switch: has an endpoint and groups for each rocker", () => {
  const wall = devices.wallSwitch(ieee);
  const line = new TestLine(wall);
  line.tell(0x0006, 0x01, { endpoint: 2 });
  assert.deepEqual([wall.isOn(1), wall.isOn(2)], [false, true]);
  line.tell(0x0004, 0x00, { endpoint: 1, payload: octets([5, 2], [0, 1]) });
  line.tell(0x0006, 0x00, { endpoint: 0xff, group: 5 });
  assert.deepEqual([wall.isOn(1), wall.isOn(2)], [false, true]);
  wall.pressLocally(1);
  assert.equal(wall.isOn(1), true);
});
