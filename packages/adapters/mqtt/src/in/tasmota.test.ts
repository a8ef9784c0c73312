import assert from "node:assert/strict";
import { test } from "node:test";
import { Heard, say } from "../testdata/heard.ts";
import { Tasmota } from "./tasmota.ts";

const config = {
  dn: "Plug",
  fn: ["Plug", null],
  mac: "AABBCC000001",
  md: "Sonoff Pow",
  ofln: "Offline",
  onln: "Online",
  state: ["OFF", "ON", "TOGGLE", "HOLD"],
  t: "plug",
  ft: "%prefix%/%topic%/",
  tp: ["cmnd", "stat", "tele"],
  rl: [1, 0, 0],
  lt_st: 0,
};
const discovery = (mac: string, part: string): string => `tasmota/discovery/${mac}/${part}`;

function open(): { heard: Heard; source: Tasmota } {
  const heard = new Heard();
  return { heard, source: new Tasmota("tasmota/discovery", heard) };
}

test("a plug with a meter is one device, whichever is heard first", () => {
  for (const order of [
    ["config", "sensors"],
    ["sensors", "config"],
  ]) {
    const { heard, source } = open();
    const sensors = {
      sn: { ENERGY: { Total: 3.1, Power: 7, Yesterday: 1 }, AM2301: { Temperature: 70 }, TempUnit: "F" },
    };
    for (const part of order)
      say(source, discovery("AABBCC000001", part), part === "config" ? config : sensors);
    const native = "tasmota/AABBCC000001";
    const { capabilities, name, model } = heard.announced.get(native) ?? assert.fail();
    assert.deepEqual([name, model], ["Plug", "Sonoff Pow"]);
    for (const each of ["ON_OFF", "CONTROL_POWER", "POWER_METER", "TEMPERATURE"] as const)
      assert.ok(capabilities.includes(each), each);
    say(source, "tele/plug/LWT", "Online");
    assert.equal(heard.reachable.get(native), true);
    say(source, "tele/plug/STATE", { POWER: "ON" });
    say(source, "tele/plug/SENSOR", { ENERGY: { Total: 3.2, Power: 60 }, AM2301: { Temperature: 50 } });
    const { isOn, totalPower, activePower, temperature } = heard.before(native);
    assert.deepEqual([isOn, totalPower, activePower, temperature], [true, 3.2, 60, 10]);
    assert.deepEqual(source.set(native, { isOn: false }), [
      { topic: "cmnd/plug/POWER1", payload: "OFF", isAnswered: true },
    ]);
    say(source, "stat/plug/RESULT", { POWER: "OFF" });
    assert.equal(heard.before(native)["isOn"], false);
    source.heard(discovery("AABBCC000001", "config"), Buffer.alloc(0));
    assert.equal(heard.reachable.get(native), false);
  }
});

test("a lamp has its dimmer, white and colour, and two relays are two devices", () => {
  const { heard, source } = open();
  say(source, discovery("AABBCC000002", "config"), { ...config, t: "lamp", fn: ["Lamp"], rl: [2], lt_st: 5 });
  const lamp = "tasmota/AABBCC000002";
  assert.equal(heard.announced.get(lamp)?.class, "LIGHT");
  say(source, "tele/lamp/STATE", { POWER: "ON", Dimmer: 100, CT: 250, HSBColor: "180,50,100" });
  const { isOn, brightness, temperature, hue, saturation } = heard.before(lamp);
  assert.deepEqual([isOn, brightness, temperature, hue, saturation], [true, 1, 4000, Math.PI, 0.5]);
  assert.deepEqual(
    source
      .set(lamp, { brightness: 0, temperature: 2500, hue: Math.PI / 2 })
      ?.map(({ topic, payload }) => `${topic} ${payload}`),
    ["cmnd/lamp/Dimmer 1", "cmnd/lamp/CT 400", "cmnd/lamp/HsbColor 90,50"],
  );
  say(source, discovery("AABBCC000003", "config"), { ...config, t: "two", fn: ["A", "B"], rl: [1, 1] });
  say(source, "tele/two/STATE", { POWER1: "OFF", POWER2: "ON" });
  assert.deepEqual(
    ["", "/2"].map((each) => heard.before(`tasmota/AABBCC000003${each}`)["isOn"]),
    [false, true],
  );
});

test("a shutter goes to a position and stops", () => {
  const { heard, source } = open();
  say(source, discovery("AABBCC000004", "config"), { ...config, t: "blind", rl: [3, 3] });
  const native = "tasmota/AABBCC000004";
  say(source, "stat/blind/RESULT", { Shutter1: { Position: 40 } });
  assert.equal(heard.before(native)["liftPct"], 40);
  assert.deepEqual(
    source.set(native, { liftPct: 70 })?.map(({ topic, payload }) => [topic, payload]),
    [["cmnd/blind/ShutterPosition1", "70"]],
  );
  assert.equal(source.set(native, { stop: true })?.[0]?.topic, "cmnd/blind/ShutterStop1");
});

test("a device whose sensors are taken back stays, without them, and so does its word that it is there", () => {
  const { heard, source } = open();
  const native = "tasmota/AABBCC000005";
  say(source, discovery("AABBCC000005", "config"), { ...config, t: "kept" });
  say(source, discovery("AABBCC000005", "sensors"), { sn: { AM2301: { Temperature: 20 } } });
  say(source, "tele/kept/LWT", "Online");
  assert.ok(heard.announced.get(native)?.capabilities.includes("TEMPERATURE"));
  source.heard(discovery("AABBCC000005", "sensors"), Buffer.alloc(0));
  assert.ok(!heard.announced.get(native)?.capabilities.includes("TEMPERATURE"));
  assert.equal(heard.reachable.get(native), true);
  say(source, "tele/kept/LWT", "Offline");
  assert.equal(heard.reachable.get(native), false);
});

test("remembers at most a thousand devices, and their sensors for as long as they are known", () => {
  const { heard, source } = open();
  const mac = (n: number): string => n.toString(16).toUpperCase().padStart(12, "0");
  const sensors = { sn: { AM2301: { Temperature: 20 } } };
  for (let n = 0; n < 3000; n++) say(source, discovery(mac(n), "sensors"), sensors);
  say(source, discovery(mac(0), "config"), { ...config, t: "first" });
  say(source, discovery(mac(2999), "config"), { ...config, t: "last" });
  const measures = (n: number): boolean | undefined =>
    heard.announced.get(`tasmota/${mac(n)}`)?.capabilities.includes("TEMPERATURE");
  assert.deepEqual([measures(0), measures(2999)], [false, true]);
  for (let n = 1; n < 2000; n++) say(source, discovery(mac(n), "config"), { ...config, t: `t${n}` });
  assert.equal(heard.announced.size, 1000);
});

test("what is no discovery, or names wildcards, makes no device", () => {
  const { heard, source } = open();
  for (const junk of [
    "",
    "[",
    "null",
    { ...config, t: "#" },
    { ...config, t: 7 },
    { ...config, tp: ["+", "b", "c"] },
  ])
    say(source, discovery("AABBCC000009", "config"), junk);
  say(source, "tasmota/discovery/xyz/config", config);
  assert.deepEqual([...heard.announced], []);
});
