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
  ] as const)
    assert.throws(
      () => readPlain(list, "list"),
      (error) => (error as Error).message.startsWith(start) || assert.fail((error as Error).message),
      start,
    );
});
