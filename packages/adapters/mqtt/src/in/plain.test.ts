import assert from "node:assert/strict";
import { test } from "node:test";
import { Heard, say } from "../testdata/heard.ts";
import { PlainTopics, readPlain } from "./plain.ts";

const boiler = {
  id: "boiler",
  name: "Boiler",
  availability: { topic: "boiler/LWT", online: "Online", offline: "Offline" },
  points: [
    { attribute: "temperature", topic: "boiler/state", path: "water.celsius10", scale: 0.1 },
    {
      attribute: "isOn",
      topic: "boiler/relay",
      set: { topic: "boiler/relay/set", payload: '{"on": {value}}' },
      values: { "1": true, "0": false },
    },
    {
      attribute: "mode",
      topic: "boiler/state",
      path: "mode",
      values: { winter: 2, off: 0 },
      set: { topic: "boiler/mode/set" },
    },
    { attribute: "humidity", topic: "boiler/state", path: "hum" },
  ],
};

test("plain topics have attributes by a list", () => {
  const heard = new Heard();
  const source = new PlainTopics(readPlain([boiler], "list"), heard);
  const native = "topics/boiler";
  assert.deepEqual(heard.announced.get(native)?.capabilities, [
    "DEVICE",
    "TEMPERATURE",
    "ON_OFF",
    "CONTROL_POWER",
    "HVAC",
    "CONTROL_MODE",
    "HUMIDITY",
  ]);
  assert.deepEqual([...heard.listening], ["boiler/state", "boiler/relay", "boiler/LWT"]);
  assert.equal(heard.reachable.get(native), undefined);
  say(source, "boiler/LWT", "Online");
  assert.equal(heard.reachable.get(native), true);
  say(source, "boiler/state", { water: { celsius10: "473" }, mode: "winter", hum: 180 });
  say(source, "boiler/relay", "1");
  assert.deepEqual(heard.before(native), { temperature: 47.3, mode: 2, isOn: true });
  assert.deepEqual(source.set(native, { isOn: false, mode: 0 }), [
    { topic: "boiler/relay/set", payload: '{"on": 0}', isAnswered: true },
    { topic: "boiler/mode/set", payload: "off", isAnswered: true },
  ]);
  assert.deepEqual(source.set(native, { isOn: true }), [
    { topic: "boiler/relay/set", payload: '{"on": 1}', isAnswered: false },
  ]);
  assert.deepEqual(
    [source.set(native, { humidity: 1 }), source.set("topics/x", { isOn: true })],
    [[], undefined],
  );
  say(source, "boiler/LWT", "Offline");
  assert.equal(heard.reachable.get(native), false);
  for (const junk of ["", "{", "[]", '{"water":null}', '{"water":{"celsius10":"warm"}}'])
    say(source, "boiler/state", junk);
  say(source, "boiler/relay", "2");
  assert.equal(heard.before(native)["temperature"], 47.3);
});

/** An air conditioner: `AIRCON` and what no attribute holds stand in the list. */
const unit = {
  id: "unit",
  name: "Air conditioner",
  class: "THERMOSTAT",
  capabilities: ["AIRCON"],
  points: [
    { attribute: "temperature", topic: "unit/state", path: "room" },
    { attribute: "targetTemp", topic: "unit/state", path: "target", set: { topic: "unit/set/target" } },
    {
      attribute: "mode",
      topic: "unit/state",
      path: "mode",
      values: { off: 0, auto: 1, heat: 2, cool: 3, fan: 5, dry: 6 },
      set: { topic: "unit/set/mode" },
    },
    { attribute: "extras.pump.condensate", topic: "unit/state", path: "pump", type: "bool" },
    { attribute: "extras.pump.condensate.error", topic: "unit/state", path: "fault", type: "text" },
    {
      attribute: "extras.swing",
      topic: "unit/state",
      path: "swing",
      values: { s: "still", v: "vertical" },
      set: { topic: "unit/set/swing" },
    },
    { attribute: "extras.outside", topic: "unit/state", path: "out", unit: "°C", scale: 0.1 },
  ],
};

test("a device of a list has capabilities and extras of its own, such as an air conditioner with its pump", () => {
  const heard = new Heard();
  const source = new PlainTopics(readPlain([unit], "list"), heard);
  const { capabilities, stateExtras } = heard.announced.get("topics/unit") ?? {};
  assert.deepEqual(capabilities, [
    "DEVICE",
    "AIRCON",
    "TEMPERATURE",
    "THERMOSTAT",
    "CONTROL_TEMPERATURE",
    "HVAC",
    "CONTROL_MODE",
  ]);
  assert.deepEqual(
    stateExtras?.map(({ name, fieldType, unit: of, writable }) => [name, fieldType, of, writable]),
    [
      ["pump.condensate", "BOOL", null, false],
      ["pump.condensate.error", "TEXT", null, false],
      ["swing", "OPTION", null, true],
      ["outside", "NUMBER", "°C", false],
    ],
  );
  const state = { room: 22.5, target: 21, mode: "cool", pump: "ON", fault: "no flow", swing: "v", out: 315 };
  say(source, "unit/state", state);
  assert.deepEqual(heard.before("topics/unit"), {
    temperature: 22.5,
    targetTemp: 21,
    mode: 3,
    "extras.pump.condensate": true,
    "extras.pump.condensate.error": "no flow",
    "extras.swing": "vertical",
    "extras.outside": 31.5,
  });
  assert.deepEqual(source.set("topics/unit", { "extras.swing": "still", mode: 2 }), [
    { topic: "unit/set/mode", payload: "heat", isAnswered: true },
    { topic: "unit/set/swing", payload: "s", isAnswered: true },
  ]);
  say(source, "unit/state", { pump: "maybe", swing: "x", out: "hot", fault: 5 });
  assert.equal(heard.before("topics/unit")["extras.swing"], "vertical");
});

test("a list that is wrong is refused with the place of the fault", () => {
  const point = { attribute: "isOn", topic: "a" };
  for (const [list, start] of [
    [{}, "list: "],
    [[{ ...boiler, id: "a/b" }], "list[0].id: "],
    [[boiler, boiler], "list[1].id: "],
    [[{ ...boiler, points: [] }], "list[0].points: "],
    [[{ ...boiler, points: [{ ...point, topic: "a/+" }] }], "list[0].points[0].topic: "],
    [[{ ...boiler, points: [{ ...point, scale: 0 }] }], "list[0].points[0].scale: "],
    [[{ ...boiler, points: [point, { attribute: "isOn" }] }], "list[0].points[1].topic: "],
    [[{ ...boiler, class: "TOASTER" }], "list[0].class: "],
    [[{ ...boiler, capabilities: ["TOAST"] }], "list[0].capabilities"],
    [[{ ...boiler, points: [{ ...point, attribute: "extras." }] }], "list[0].points[0].attribute: "],
    [[{ ...boiler, points: [{ ...point, unit: "W" }] }], "list[0].points[0].unit: "],
    [
      [{ ...boiler, points: [{ ...point, attribute: "extras.x", values: { a: true, b: "c" } }] }],
      "list[0].points[0].attribute: ",
    ],
    [
      [
        {
          ...boiler,
          points: [
            { ...point, attribute: "extras.x" },
            { ...point, attribute: "extras.x" },
          ],
        },
      ],
      "list[0].points[1].attribute: ",
    ],
  ] as const)
    assert.throws(
      () => readPlain(list, "list"),
      (error) => (error as Error).message.startsWith(start) || assert.fail((error as Error).message),
      start,
    );
});
