import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute, capabilities, deviceClasses, extrasProblem, isExtra } from "@ledge/model";
import fc from "fast-check";
import { Check } from "typebox/value";
import { Heard, say } from "../testdata/heard.ts";
import { HomeAssistantDiscovery } from "./home-assistant.ts";
import { PlainTopics, readPlain } from "./plain.ts";
import { Tasmota } from "./tasmota.ts";
import { Zigbee2mqtt } from "./zigbee2mqtt.ts";

const words =
  "ON OFF state type name property features binary numeric enum light switch cover climate action values access".split(
    " ",
  );
const more =
  "brightness color color_temp color_mode position tilt temperature value_on value_off value_min value_max unit °C %".split(
    " ",
  );
const tasmota =
  "POWER POWER1 Dimmer CT HSBColor 1,2,3 Shutter1 Position t tp fn rl lt_st sn ENERGY Power Total TempUnit F".split(
    " ",
  );
const word = fc.constantFrom(...words, ...more, ...tasmota, "__proto__", "constructor", "");
const number = fc.constantFrom(0, 1, -1, 2, 3, 7, 50, 254, 400, 1e308, -0.5);
const { any: anything } = fc.letrec<{ any: unknown; object: object }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 6 },
    word,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(word, tie("any"), { maxKeys: 6 }),
}));
const device = fc.record({
  ieee_address: fc.constantFrom("0x1", "0x2", "0x3"),
  friendly_name: fc.constantFrom("a", "b", "a/b", "a/+"),
  type: fc.constant("Router"),
  definition: fc.record({ vendor: anything, model: anything, exposes: fc.array(anything, { maxLength: 5 }) }),
});
const config = fc.record(
  {
    t: fc.constant("t"),
    rl: fc.array(number, { maxLength: 4 }),
    lt_st: number,
    fn: anything,
    tp: anything,
    state: anything,
  },
  { requiredKeys: ["t", "rl"] },
);
const topic = fc.constantFrom(
  "z/a",
  "z/b",
  "z/a/b",
  "z/a/availability",
  "z/bridge/state",
  "tele/t/STATE",
  "tele/t/SENSOR",
  "stat/t/RESULT",
  "p/1",
  "p/2",
);
const entity = fc.record(
  {
    stat_t: fc.constantFrom("p/1", "p/2", "a/#"),
    cmd_t: fc.constantFrom("p/3", "+"),
    uniq_id: fc.constantFrom("u", "v"),
    dev: fc.oneof(fc.record({ ids: fc.constantFrom("i", "j") }), anything),
    dev_cla: fc.constantFrom("temperature", "humidity", "door", "light", "energy"),
    unit_of_meas: fc.constantFrom("°C", "%", "kWh"),
    val_tpl: fc.constantFrom("{{ value_json.state }}", "{{ value }}", "{{ value_json.value.x | float }}"),
    schema: fc.constantFrom("json", "basic"),
    pos_t: fc.constantFrom("p/1", "p/2"),
    bri_scl: number,
    avty: anything,
    cmps: fc.dictionary(word, anything, { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);
const component = fc.constantFrom(
  "sensor",
  "binary_sensor",
  "switch",
  "light",
  "cover",
  "lock",
  "device",
  "__proto__",
);
const message = fc.oneof(
  fc.tuple(
    fc.tuple(component, fc.constantFrom("x", "y")).map(([of, id]) => `h/${of}/${id}/config`),
    fc.oneof(entity, anything),
  ),
  fc.tuple(fc.constant("z/bridge/devices"), fc.oneof(fc.array(device, { maxLength: 3 }), anything)),
  fc.tuple(fc.constant("d/AABBCC000001/config"), fc.oneof(config, anything)),
  fc.tuple(fc.constant("d/AABBCC000001/sensors"), fc.oneof(fc.record({ sn: anything }), anything)),
  fc.tuple(topic, fc.oneof(anything, fc.string())),
);
const wanted = {
  isOn: true,
  brightness: 0.5,
  hue: 1,
  saturation: 1,
  temperature: 3000,
  liftPct: 40,
  stop: true,
  mode: 2,
};

const list = readPlain(
  [
    {
      id: "x",
      name: "X",
      points: [
        { attribute: "isOn", topic: "p/1", set: { topic: "p/1/set" } },
        { attribute: "humidity", topic: "p/2", path: "value.state", scale: 3 },
        { attribute: "mode", topic: "p/2", path: "mode", values: { ON: 2 }, set: { topic: "p/2/set" } },
      ],
    },
  ],
  "list",
);

test("whatever a broker says, devices and reports are ones that the hub takes", () => {
  const property = fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
    const heard = new Heard();
    const sources = [
      new Zigbee2mqtt("z", heard),
      new Tasmota("d", heard),
      new HomeAssistantDiscovery("h", heard),
      new PlainTopics(list, heard),
    ];
    for (const [at, payload] of messages) for (const source of sources) say(source, at, payload);
    for (const { native, class: of, capabilities: can, stateExtras = [] } of heard.announced.values()) {
      assert.ok(Object.hasOwn(deviceClasses, of), of);
      for (const each of can) assert.ok(capabilities.includes(each), each);
      assert.equal(extrasProblem(stateExtras), undefined);
      for (const source of sources)
        for (const sending of source.set(native, wanted) ?? []) assert.doesNotMatch(sending.topic, /[+#]/);
    }
    for (const [native, attributes] of heard.reports) {
      assert.ok(heard.announced.has(native), native);
      for (const [name, value] of Object.entries(attributes)) {
        const schema = attribute(name)?.value;
        assert.ok(isExtra(name) || schema !== undefined, name);
        if (schema !== undefined) assert.ok(Check(schema, value), `${name}: ${JSON.stringify(value)}`);
      }
    }
  });
  fc.assert(property, { numRuns: Number(process.env["CASES"] ?? 200) });
});
