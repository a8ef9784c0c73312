import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { attributesOf } from "./commands.ts";
import { pressOf } from "./remote.ts";
import { targetOf, topicsOf } from "./topics.ts";

const topics = topicsOf({ base: "ledge", discoveryPrefix: "homeassistant" }, { hubId: "1111-2222" });

/** Returns what a message to a topic sets, or why it sets nothing. */
function told(topic: string, payload: string): unknown {
  const target = targetOf(topic);
  return target === undefined ? "nowhere" : attributesOf(target, Buffer.from(payload));
}

const cases: readonly (readonly [topic: string, payload: string, wanted: unknown])[] = [
  [topics.set("device", "d"), '{"isOn": true, "brightness": 0.4}', { isOn: true, brightness: 0.4 }],
  [topics.set("device", "d"), "", "must be a JSON object of attributes"],
  [topics.setOne("device", "d", "isOn"), "off", { isOn: false }],
  [topics.setOne("device", "d", "extras.led.mode"), "blink", { "extras.led.mode": "blink" }],
  [topics.setOne("device", "d", "liftPct"), "40", { liftPct: 40 }],
  [topics.setOne("device", "d", "liftPct"), "", "says nothing"],
  [topics.setPart("device", "d", "light"), '{"state":"OFF"}', { isOn: false }],
  [topics.setPart("device", "d", "light"), '{"brightness":1}', { brightness: 0 }],
  [topics.setPart("device", "d", "light"), '{"brightness":0}', { isOn: false }],
  [topics.setPart("group", "g", "light"), '{"color_temp":250}', { colorMode: "ct", temperature: 4000 }],
  [
    topics.setPart("device", "d", "light"),
    '{"color":{"h":180,"s":50},"transition":1.5}',
    { colorMode: "hs", hue: Math.PI, saturation: 0.5, transitionMsec: 1500 },
  ],
  [
    topics.setPart("device", "d", "light"),
    '{"color":{"r":1}}',
    "color: must have h of 0 to 360 and s of 0 to 100",
  ],
  [topics.setPart("device", "d", "light"), "[]", "must be a JSON object"],
  [topics.setPart("device", "d", "light"), "{}", "says nothing"],
  [topics.setPart("device", "d", "climate"), '{"mode":"heat"}', { mode: 2 }],
  [topics.setPart("device", "d", "climate"), '{"temperature":"21.5"}', { targetTemp: 21.5 }],
  [topics.setPart("device", "d", "climate"), '{"fan_mode":"auto","preset":"eco"}', { fanMode: 5, preset: 1 }],
  [topics.setPart("device", "d", "climate"), '{"mode":"party"}', 'mode: cannot be "party"'],
  [topics.setPart("device", "d", "cover"), "STOP", { stop: true }],
  [topics.setPart("device", "d", "cover"), "open", "must be OPEN, CLOSE or STOP"],
  [topics.setPart("device", "d", "lock"), "UNLOCK", { locked: false }],
  [topics.set("scene", "s"), "ON", { isOn: true }],
  [topics.set("rule", "r"), '{"isOn": false}', { isOn: false }],
  [topics.set("rule", "r"), "maybe", "must be ON or OFF"],
  [topics.setOne("scene", "s", "isOn"), "ON", "must be ON or OFF"],
  [topics.state("device", "d"), "ON", "nowhere"],
  ["ledge/1/room/x/set", "ON", "nowhere"],
  [topics.set("device", "d"), `{"a":"${"x".repeat(20_000)}"}`, "is longer than 16384 bytes"],
];
for (const [topic, payload, wanted] of cases)
  test(`${topic} ${payload.slice(0, 40)}`, () => assert.deepEqual(told(topic, payload), wanted));

test("a press has the event of its modifiers", () => {
  assert.deepEqual(pressOf(2, ["stop", "longpress"]), { part: "button/2", event: { event_type: "release" } });
  assert.deepEqual(pressOf(2, []), { part: "button/2", event: { event_type: "press" } });
  assert.equal(pressOf("2", []), undefined);
});

test("no message makes a command of anything but a table of attributes, or a reason", () => {
  const levels = fc.constantFrom(
    "set",
    "light",
    "climate",
    "cover",
    "lock",
    "device",
    "group",
    "scene",
    "rule",
    "x",
    "",
  );
  const json = fc.json({ maxDepth: 3 });
  const hints = fc.constantFrom(
    "state",
    "brightness",
    "color",
    "color_temp",
    "transition",
    "mode",
    "temperature",
  );
  const object = fc.dictionary(hints, fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(levels, { maxLength: 6 }), fc.oneof(json, object, fc.string()), (path, payload) => {
      const made = told(["ledge", "1", ...path].join("/"), payload);
      if (typeof made === "string") return;
      assert.ok(typeof made === "object" && made !== null && !Array.isArray(made));
      assert.doesNotThrow(() => JSON.stringify(made));
    }),
    { numRuns: Number(process.env["CASES"] ?? 200) },
  );
});
