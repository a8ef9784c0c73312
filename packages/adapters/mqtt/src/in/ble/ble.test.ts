import assert from "node:assert/strict";
import { test } from "node:test";
import { examples } from "@ledge/ble/testing";
import { SimulatedClock } from "@ledge/testkit";
import { AdapterError, type AdapterHost, type DeviceDescription, type FoundDevice } from "@ledge/port";
import { Heard, say } from "../../testdata/heard.ts";
import { BleSensors } from "./ble.ts";
import { sightingIn } from "./message.ts";
import { fitsFilter } from "./topic-filter.ts";

const topic = "home/OMG/BTtoMQTT/5448E68F80A5";
const mac = "54:48:E6:8F:80:A5";
const native = "ble/5448E68F80A5";
const bthome = (hex: string, id = mac): object => ({
  id,
  rssi: -60,
  servicedatauuid: "0xfcd2",
  servicedata: hex,
});

interface Rig {
  readonly heard: Heard;
  readonly sensors: BleSensors;
  readonly found: FoundDevice[];
  readonly stored: Map<string, unknown>;
  readonly warnings: string[];
  readonly pass: (ms: number) => void;
  /** Lets a scan find a sensor, and keeps it. */
  readonly adopt: (id?: string) => Promise<DeviceDescription>;
}

function open(stored = new Map<string, unknown>(), heard = new Heard()): Rig {
  const clock = new SimulatedClock();
  const found: FoundDevice[] = [];
  const warnings: string[] = [];
  const adapter = {
    clock,
    found: (device: FoundDevice) => void found.push(device),
    log: (_: string, message: string, fields: object) =>
      void warnings.push(`${message} ${JSON.stringify(fields)}`),
    store: {
      get: (key: string) => stored.get(key),
      put: async (key: string, value: unknown) => void stored.set(key, value),
    },
  } as unknown as AdapterHost;
  const sensors = new BleSensors(["home/+/BTtoMQTT/#"], heard, adapter);
  return {
    heard,
    sensors,
    found,
    stored,
    warnings,
    pass: (ms) => clock.advance(ms),
    adopt: async (id = native) => {
      await sensors.pairing.open(60_000);
      await sensors.pairing.close();
      await sensors.pairing.keep(id);
      return heard.announced.get(id) ?? assert.fail();
    },
  };
}

test("a sensor is found by a scan, and becomes a device only when it is kept", async () => {
  const { heard, sensors, found, adopt, pass } = open();
  say(sensors, topic, bthome("4002ca0903bf13"));
  assert.equal(found.length, 0);
  await sensors.pairing.open(60_000);
  assert.equal(found[0]?.description?.name, "Sensor 80A5");
  say(sensors, topic, bthome("4002ca0903bf13", "11:22:33:44:55:66"));
  assert.deepEqual(
    found.map((each) => each.native),
    [native, "ble/112233445566"],
  );
  pass(60_000);
  say(sensors, topic, bthome("4001ff", "11:22:33:44:55:77"));
  assert.equal(found.length, 2);
  assert.deepEqual([...heard.announced], []);
  const { capabilities } = await adopt();
  assert.deepEqual(new Set(capabilities), new Set(["DEVICE", "TEMPERATURE", "HUMIDITY"]));
  say(sensors, topic, bthome("4002cb0903bf13015d"));
  assert.deepEqual(heard.before(native), { temperature: 25.07, humidity: 50.55, battery: 93 });
  assert.ok(heard.announced.get(native)?.capabilities.includes("BATTERY_C"));
  await assert.rejects(sensors.pairing.keep("ble/000000000000"), AdapterError);
});

test("a sensor keeps over a restart what it has ever measured", async () => {
  const first = open();
  say(first.sensors, topic, bthome("4002ca0903bf13"));
  await first.adopt();
  const { heard, sensors } = open(first.stored);
  heard.announced.set(native, first.heard.announced.get(native) ?? assert.fail());
  say(sensors, topic, bthome("40015d"));
  const { capabilities } = heard.announced.get(native) ?? assert.fail();
  for (const each of ["TEMPERATURE", "HUMIDITY", "BATTERY_C"] as const)
    assert.ok(capabilities.includes(each), each);
});

test("an encrypted sensor asks for its key, and refuses a replay", async () => {
  const encrypted = "41a47266c95f730011223378237214";
  const { heard, sensors, adopt, stored, warnings, pass } = open();
  say(sensors, topic, bthome(encrypted));
  const { configuration, capabilities } = await adopt();
  assert.deepEqual(capabilities, ["DEVICE", "CONFIGURABLE"]);
  assert.deepEqual(
    configuration?.items.map(({ name, secret }) => [name, secret]),
    [["bindKey", true]],
  );
  const configure = (bindKey: unknown): Promise<unknown> =>
    sensors.configure(
      { type: "SET_CONFIGURATION", native, parameters: { bindKey } },
      new AbortController().signal,
    );
  for (const wrong of ["xyz", "00".repeat(15), 7])
    await assert.rejects(configure(wrong), /bindKey: must have 32/);
  await configure("00".repeat(16));
  say(sensors, topic, bthome(encrypted));
  say(sensors, topic, bthome(encrypted));
  assert.equal(warnings.length, 1);
  assert.ok(!warnings.join("").includes("00".repeat(16)));
  await configure("231D39C1D7CC1AB1AEE224CD096DB932");
  say(sensors, topic, bthome(encrypted));
  assert.deepEqual(heard.before(native), { temperature: 25.06, humidity: 50.55 });
  assert.ok(heard.announced.get(native)?.capabilities.includes("CONFIGURABLE"));
  await sensors.forget(native);
  assert.deepEqual([...stored.values()], [null, null, null]);
  pass(1);
});

test("a press counts once, however many gateways hear it, and again when it is new", async () => {
  const { heard, sensors, adopt, pass } = open();
  say(sensors, topic, bthome("4400013a003a04"));
  const { capabilities, extras } = await adopt();
  assert.ok(capabilities.includes("REMOTE_CONTROL"));
  assert.deepEqual(
    ((extras?.["buttons"] ?? []) as { label: string }[]).map(({ label }) => label),
    ["Button 1", "Button 2"],
  );
  const presses = (): unknown[] => heard.reports.flatMap(([, { button }]) => button ?? []);
  for (const gateway of ["A", "B", "C"]) say(sensors, `home/${gateway}/BTtoMQTT/x`, bthome("4400023a013a00"));
  say(sensors, topic, bthome("4400013a003a04"));
  assert.deepEqual(presses(), [1]);
  say(sensors, topic, bthome("4400033a013a00"));
  // Without a number, the same press comes again after a while.
  for (const ms of [0, 500, 5000]) {
    pass(ms);
    say(sensors, topic, bthome("443a003a01"));
  }
  assert.deepEqual(presses(), [1, 1, 2, 2]);
});

test("levels are reported every ten seconds at most, a change of a contact at once", async () => {
  const { heard, sensors, adopt, pass } = open();
  say(sensors, topic, bthome("4002ca092d00"));
  await adopt();
  for (let second = 0; second < 20; second += 1) {
    say(
      sensors,
      topic,
      bthome(`4002${(10 + second).toString(16).padStart(2, "0")}092d0${second >= 5 ? 1 : 0}`),
    );
    pass(1000);
  }
  const of = (name: string): unknown[] => heard.reports.flatMap(([, values]) => values[name] ?? []);
  assert.equal(of("temperature").length, 2);
  assert.deepEqual(of("open").slice(0, 2), [false, true]);
});

test("a sensor that measures is away after an hour of silence, one that waits for somebody is not", async () => {
  const { heard, sensors, adopt, pass } = open();
  const door = "ble/AABBCCDDEEFF";
  say(sensors, topic, bthome("4002ca09"));
  say(sensors, topic, bthome("442d0001ff", "AA:BB:CC:DD:EE:FF"));
  await adopt();
  await adopt(door);
  pass(3_500_000);
  assert.deepEqual([heard.reachable.get(native), heard.reachable.get(door)], [true, true]);
  pass(1_000_000);
  assert.deepEqual([heard.reachable.get(native), heard.reachable.get(door)], [false, true]);
  say(sensors, topic, bthome("4002cb09"));
  assert.equal(heard.reachable.get(native), true);
  sensors.stop();
});

test("motion of a sensor that never tells its end is over after a minute", async () => {
  const { heard, sensors, adopt, pass } = open();
  const id = "ble/DE70E8B2390C";
  const motion = { id: "DE:70:E8:B2:39:0C", servicedatauuid: "fe95" };
  say(sensors, topic, { ...motion, servicedata: "4030dd032403000101" });
  assert.equal((await adopt(id)).class, "MOTION");
  say(sensors, topic, { ...motion, servicedata: "4030dd032503000101" });
  assert.equal(heard.before(id)["motion"], true);
  pass(60_000);
  assert.equal(heard.before(id)["motion"], false);
});

test("motion that began before a restart is over a minute after it, unless there is more", async () => {
  const first = open();
  const id = "ble/DE70E8B2390C";
  const motion = { id: "DE:70:E8:B2:39:0C", servicedatauuid: "fe95" };
  const move = (rig: Rig, packet: string): void =>
    say(rig.sensors, topic, { ...motion, servicedata: `4030dd03${packet}03000101` });
  move(first, "24");
  await first.adopt(id);
  move(first, "25");
  first.sensors.stop();
  const second = open(first.stored, first.heard);
  assert.equal(second.heard.before(id)["motion"], true);
  second.pass(30_000);
  move(second, "26");
  second.pass(40_000);
  assert.equal(second.heard.before(id)["motion"], true);
  second.pass(20_000);
  assert.equal(second.heard.before(id)["motion"], false);
});

test("a replay is refused after a restart, too", async () => {
  const encrypted = "41a47266c95f730011223378237214";
  const first = open();
  say(first.sensors, topic, bthome(encrypted));
  await first.adopt();
  const key = {
    type: "SET_CONFIGURATION",
    native,
    parameters: { bindKey: "231d39c1d7cc1ab1aee224cd096db932" },
  };
  await first.sensors.configure(key, new AbortController().signal);
  say(first.sensors, topic, bthome(encrypted));
  const told = first.heard.reports.length;
  assert.ok(told > 0);
  const counter = [...first.stored].find(([name]) => name.startsWith("ble-counter/"));
  assert.equal(typeof counter?.[1], "number");
  first.stored.set(counter?.[0] ?? "", Number(counter?.[1]) + 1);
  const second = open(first.stored, first.heard);
  say(second.sensors, topic, bthome(encrypted));
  assert.equal(second.heard.reports.length, told, "lower than the stored counter");
  first.stored.set(counter?.[0] ?? "", counter?.[1]);
  const third = open(first.stored, first.heard);
  say(third.sensors, topic, bthome(encrypted));
  assert.ok(third.heard.reports.length > told);
});

test("every example of the formats makes a device whose values fit", async () => {
  for (const { address, uuid, company, hex, key, values, name } of examples.filter(
    (each) => each.address !== "FFFFFFFFFFFF",
  )) {
    const { heard, sensors, adopt, stored } = open();
    const id = `ble/${address}`;
    const length = (3 + hex.length / 2).toString(16);
    const message =
      company === undefined
        ? { id: address, service_data: { [uuid?.toString(16) ?? ""]: hex } }
        : { mac: address, data: `020106${length}ff9904${hex}` };
    if (key !== undefined) stored.set(`ble-key/${address}`, key);
    say(sensors, topic, message);
    await adopt(id);
    const { sensors: again, heard: shown } = open(stored);
    for (const [known, description] of heard.announced) shown.announced.set(known, description);
    say(again, topic, message);
    const { temperature } = values;
    if (temperature !== undefined) assert.equal(shown.before(id)["temperature"], temperature, name);
    const extras = shown.announced.get(id)?.stateExtras?.map((extra) => `extras.${extra.name}`) ?? [];
    for (const attribute of Object.keys(shown.before(id)))
      if (attribute.startsWith("extras.")) assert.ok(extras.includes(attribute), `${name}: ${attribute}`);
  }
});

test("reads the messages of several gateways, and nothing else", () => {
  const data = "0201060A16D2FC4002CA0903BF13";
  const at = (topicOf: string, said: unknown): string | undefined => {
    const sighting = sightingIn(topicOf, Buffer.from(typeof said === "string" ? said : JSON.stringify(said)));
    return sighting && `${sighting.address} ${sighting.advertisement.services.size}`;
  };
  const full = "0000fcd2-0000-1000-8000-00805f9b34fb";
  for (const [topicOf, said] of [
    ["a", { id: mac, servicedatauuid: full, servicedata: "4002ca09" }],
    ["a", { mac, raw: data }],
    ["a", { addr: mac.toLowerCase(), service_data: { fcd2: "40" } }],
    [`ruuvi/AA:BB:CC:00:00:01/${mac}`, { gw_mac: "AA:BB:CC:00:00:01", rssi: -61, data }],
  ] as const)
    assert.equal(at(topicOf, said), "5448E68F80A5 1", JSON.stringify(said));
  for (const said of ["", "[1]", "null", { id: "F3:52:85" }, { id: 7, raw: data }, "{"])
    assert.equal(at("a/b", said), undefined, JSON.stringify(said));
  for (const said of [
    { id: mac, raw: "zz" },
    { id: mac, raw: "00".repeat(2000) },
    { id: mac, service_data: 3 },
  ])
    assert.equal(at("a", said), "5448E68F80A5 0", JSON.stringify(said));
});

test("topics fit filters as on a broker", () => {
  for (const [filter, fits, not] of [
    ["home/+/BTtoMQTT/#", ["home/a/BTtoMQTT/x", "home/a/BTtoMQTT/x/y"], ["home/a/b/BTtoMQTT/x", "other"]],
    ["a/+", ["a/b"], ["a", "a/b/c"]],
    ["a", ["a"], ["ab", "a/b"]],
  ] as const) {
    for (const each of fits) assert.ok(fitsFilter(each, filter), `${filter} ${each}`);
    for (const each of not) assert.ok(!fitsFilter(each, filter), `${filter} ${each}`);
  }
});
