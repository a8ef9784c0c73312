import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import { octets, TestLine } from "../test-line.ts";

const ieee = "0x00158d0044444444";
const tuya = 0xef00;

test("Hue dimmer: sends a command on endpoint 1 and Philips' notification on endpoint 2", () => {
  const dimmer = devices.hueDimmer(ieee);
  const line = new TestLine(dimmer);
  line.bind(0x0006, 1);
  line.bind(0xfc00, 2);
  dimmer.press("on");
  dimmer.press("on", "release");
  assert.deepEqual(
    line
      .heard()
      .map(({ endpoint, cluster, header, payload }) => [
        endpoint,
        cluster,
        header.manufacturer,
        header.isFromServer,
        [...payload],
      ]),
    [
      [1, 0x0006, null, false, []],
      [2, 0xfc00, 0x100b, true, [1, 0, 0, 0x30, 0, 0x21, 0, 0]],
      [2, 0xfc00, 0x100b, true, [1, 0, 0, 0x30, 2, 0x21, 8, 0]],
    ],
  );
  const written = line.write(0, 0x31, { type: "map16", value: 0x0b }, { endpoint: 2, manufacturer: 0x100b });
  assert.deepEqual([...(written[0]?.payload ?? [])], [0]);
});

test("Tuya remote: sends Tuya's own command from the endpoint of a key", () => {
  const remote = devices.tuyaRemote(ieee);
  const line = new TestLine(remote);
  line.bind(0x0006, 3);
  remote.press("3", "double");
  remote.press("1");
  assert.deepEqual(
    line.heard().map(({ endpoint, header, payload }) => [endpoint, header.command, [...payload]]),
    [[3, 0xfd, [1]]],
  );
});

test("Tuya valve: reports its datapoints unasked, and confirms writes of known ones", () => {
  const valve = devices.tuyaValve(ieee);
  const line = new TestLine(valve);
  line.clock.advance(1000);
  const reports = line.heard().filter(({ cluster }) => cluster === tuya);
  assert.deepEqual(
    reports.map(({ header, payload }) => [header.command, payload[2]]),
    [1, 2, 3, 7, 13, 14, 104].map((id) => [0x02, id]),
  );
  const setpoint = octets([0, 2], [2, 1], [2, 1], [0, 1], [4, 1], [0, 3], [23, 1]);
  const [answer] = line.tell(tuya, 0x00, { payload: setpoint });
  assert.equal(valve.value("setpoint"), 23);
  assert.deepEqual(
    [answer?.header.command, [...(answer?.payload ?? [])].slice(2)],
    [0x01, [2, 2, 0, 4, 0, 0, 0, 23]],
  );
  line.tell(tuya, 0x00, { payload: octets([0, 2], [2, 1], [1, 1], [0, 1], [1, 1], [1, 1]) });
  line.tell(tuya, 0x00, { payload: octets([0, 2], [99, 1], [1, 1], [0, 1], [1, 1], [1, 1]) });
  assert.equal(valve.value("setpoint"), 23, "another type, and an unknown datapoint");
  valve.show("temperature", -15);
  assert.deepEqual([...(line.heard()[0]?.payload ?? [])].slice(2), [3, 2, 0, 4, 255, 255, 255, 241]);
  assert.throws(() => valve.show("temperature", true), /is of another kind/);
  assert.equal(line.tell(tuya, 0x03, { disablesDefaultResponse: true }).length, 7);
});

test("Aqara's weather sensor: reports without bindings, and its battery in its own attribute", () => {
  const weather = devices.aqaraWeather(ieee);
  const line = new TestLine(weather);
  weather.setTemperature(19.5);
  weather.setHumidity(61);
  weather.setPressure(999);
  assert.deepEqual(line.reports(), [
    [0x0402, 0, 1950],
    [0x0405, 0, 6100],
    [0x0403, 0, 999],
  ]);
  weather.battery(2985);
  const [heard] = line.heard();
  assert.equal(heard?.header.manufacturer, 0x115f);
  assert.deepEqual(
    [...(heard?.payload ?? [])],
    [0x01, 0xff, 0x42, 8, 0x01, 0x21, 0xa9, 0x0b, 0x64, 0x29, 0x9e, 0x07],
  );
});

test("every device has a maker, a model and the right clusters on each endpoint", () => {
  for (const [name, make] of Object.entries(devices)) {
    const device = make(ieee, { softwareBuild: "9.9" });
    const line = new TestLine(device);
    const { id: endpoint = 1 } = device.endpoints[0] ?? {};
    for (const attribute of [0x0004, 0x0005]) {
      assert.equal(typeof line.read(0, attribute, { endpoint }), "string", name);
    }
    assert.equal(line.read(0, 0x4000, { endpoint }), "9.9", name);
    const isBattery = line.read(0, 0x0007, { endpoint }) === 3;
    assert.equal(isBattery, !device.descriptor.isMainsPowered, name);
    for (const { input } of device.descriptor.endpoints)
      assert.equal(new Set(input).size, input.length, name);
  }
});

test("Tuya's wall switch: reports unasked, and as configured once it is", () => {
  const wall = devices.wallSwitch(ieee);
  const line = new TestLine(wall);
  wall.pressLocally(2);
  assert.deepEqual(line.reports(), [[0x0006, 0, true]]);
  line.report(0x0006, 0, { type: "bool", minSeconds: 5, maxSeconds: 60, change: null }, { endpoint: 2 });
  line.heard();
  wall.pressLocally(2);
  assert.deepEqual(line.reports(), []);
  line.clock.advance(5000);
  assert.deepEqual(line.reports(), [[0x0006, 0, false]]);
});
