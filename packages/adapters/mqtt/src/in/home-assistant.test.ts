import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { Heard, say } from "../testdata/heard.ts";
import { pathOf } from "./ha-entity.ts";
import { HomeAssistantDiscovery } from "./home-assistant.ts";

function open(): { heard: Heard; source: HomeAssistantDiscovery } {
  const heard = new Heard();
  return { heard, source: new HomeAssistantDiscovery("homeassistant", heard) };
}

/** As ESPHome says it. */
const dev = { ids: "aabbcc", name: "Bench", sw: "esphome v2025.1", mdl: "esp32dev", mf: "espressif" };
const esp = { avty_t: "bench/status", dev };

test("an ESPHome board has its sensors together, and its lamp and switch apart", () => {
  const { heard, source } = open();
  say(source, "homeassistant/sensor/bench/air/config", {
    ...esp,
    dev_cla: "temperature",
    unit_of_meas: "°C",
    stat_t: "bench/sensor/air/state",
    name: "Air",
    uniq_id: "bench-air",
  });
  say(source, "homeassistant/binary_sensor/bench/door/config", {
    ...esp,
    dev_cla: "door",
    stat_t: "bench/binary_sensor/door/state",
    uniq_id: "bench-door",
  });
  say(source, "homeassistant/light/bench/lamp/config", {
    ...esp,
    schema: "json",
    stat_t: "bench/light/lamp/state",
    cmd_t: "bench/light/lamp/command",
    supported_color_modes: ["color_temp"],
    brightness: true,
    name: "Lamp",
    uniq_id: "bench-lamp",
  });
  say(source, "homeassistant/switch/bench/fan/config", {
    ...esp,
    stat_t: "bench/switch/fan/state",
    cmd_t: "bench/switch/fan/command",
    name: "Fan",
    uniq_id: "bench-fan",
  });
  assert.deepEqual(
    [...heard.announced.values()].map(({ native, class: of, name }) => [native, of, name]),
    [
      ["discovery/device/aabbcc", "CONTACT", "Bench"],
      ["discovery/entity/bench-lamp", "LIGHT", "Lamp"],
      ["discovery/entity/bench-fan", "POWER_SOCKET", "Fan"],
    ],
  );
  say(source, "bench/status", "online");
  say(source, "bench/sensor/air/state", "21.4");
  say(source, "bench/binary_sensor/door/state", "ON");
  say(source, "bench/light/lamp/state", {
    state: "ON",
    brightness: 255,
    color_mode: "color_temp",
    color_temp: 250,
  });
  assert.deepEqual(heard.before("discovery/device/aabbcc"), { temperature: 21.4, open: true });
  const { isOn, brightness, temperature } = heard.before("discovery/entity/bench-lamp");
  assert.deepEqual([isOn, brightness, temperature], [true, 1, 4000]);
  assert.equal(heard.reachable.get("discovery/entity/bench-fan"), true);
  const sent = (native: string, wanted: object): unknown =>
    source.set(native, wanted as never)?.map(({ topic, payload }) => `${topic} ${payload}`);
  assert.deepEqual(sent("discovery/entity/bench-lamp", { brightness: 0.5 }), [
    'bench/light/lamp/command {"state":"ON","brightness":128}',
  ]);
  assert.deepEqual(sent("discovery/entity/bench-fan", { isOn: true }), ["bench/switch/fan/command ON"]);
  source.heard("homeassistant/switch/bench/fan/config", Buffer.alloc(0));
  assert.equal(heard.reachable.get("discovery/entity/bench-fan"), false);
});

test("a message for a whole device, with a base for its topics, has all of its entities", () => {
  const { heard, source } = open();
  say(source, "homeassistant/device/shed/config", {
    "~": "shed",
    dev: { ids: ["shed"], name: "Shed" },
    o: { name: "gateway" },
    stat_t: "~/state",
    cmps: {
      power: {
        p: "sensor",
        dev_cla: "power",
        unit_of_meas: "kW",
        val_tpl: "{{ value_json.power | float }}",
        uniq_id: "shed-power",
      },
      gate: {
        p: "cover",
        pos_t: "~/gate",
        set_pos_t: "~/gate/set",
        cmd_t: "~/gate/do",
        pl_stop: null,
        uniq_id: "shed-gate",
      },
      lock: { p: "lock", val_tpl: "{{ value_json['lock'] }}", cmd_t: "~/lock/do", uniq_id: "shed-lock" },
      odd: {
        p: "sensor",
        dev_cla: "power",
        unit_of_meas: "W",
        val_tpl: "{{ value_json.a + 1 }}",
        uniq_id: "shed-odd",
      },
    },
  });
  say(source, "shed/state", { power: "1.5", lock: "LOCKED" });
  say(source, "shed/gate", "25");
  assert.deepEqual(heard.before("discovery/device/shed"), { activePower: 1500 });
  assert.deepEqual(heard.before("discovery/entity/shed-gate"), { liftPct: 25, position: 0.25 });
  assert.deepEqual(heard.before("discovery/entity/shed-lock"), { locked: true });
  const sent = (native: string, wanted: object): unknown =>
    source
      .set(`discovery/entity/${native}`, wanted as never)
      ?.map(({ topic, payload }) => `${topic} ${payload}`);
  assert.deepEqual(sent("shed-gate", { liftPct: 80 }), ["shed/gate/set 80"]);
  assert.deepEqual(sent("shed-gate", { stop: true }), []);
  assert.deepEqual(sent("shed-lock", { locked: false }), ["shed/lock/do UNLOCK"]);
});

test("as many entities as the hub takes devices are known, and none of them is lost when it is told again", () => {
  const { heard, source } = open();
  const tell = (index: number, name: string): void =>
    say(source, `homeassistant/switch/${index}/config`, { cmd_t: "a/set", uniq_id: String(index), name });
  for (let index = 0; index <= limits.devices; index += 1) tell(index, "Fan");
  assert.equal(heard.announced.size, limits.devices);
  tell(7, "Pump");
  assert.equal(heard.announced.get("discovery/entity/7")?.name, "Pump");
  assert.equal(heard.reachable.get("discovery/entity/7"), true);
});

test("the hub's own entities are none of the broker's", () => {
  const { heard, source } = open();
  const config = { cmd_t: "a/set", stat_t: "a", uniq_id: "x", origin: { name: "Ledge" } };
  say(source, "homeassistant/switch/ledge_1/x/config", config);
  for (const junk of [
    "",
    "[",
    "null",
    "7",
    { cmd_t: "a/#" },
    { cmd_t: 7 },
    { "~": {}, cmd_t: "~/x", dev: 7, avty: [7, {}] },
  ])
    say(source, "homeassistant/switch/x/config", junk);
  assert.deepEqual([...heard.announced.keys()], ["discovery/entity/switch_x"]);
});

test("templates that read a value are understood, others are not", () => {
  for (const [template, path] of [
    [undefined, []],
    ["{{ value }}", []],
    ["{{ value_json.a.b }}", ["a", "b"]],
    ["{{ value_json['a b'][\"c\"][0] | round(1) }}", ["a b", "c", "0"]],
    ["{{value_json.a|float|round(2)}}", ["a"]],
    ["{{ value_json.a * 2 }}", undefined],
    ["{{ value.a }}", undefined],
    ["{{ value_json.a | upper }}", undefined],
    ["{% if value %}x{% endif %}", undefined],
  ] as const)
    assert.deepEqual(pathOf(template), path, template);
});

test("listens only to topics that a device speaks on, however often they change", () => {
  const { heard, source } = open();
  const config = (turn: number): object => ({
    ...esp,
    stat_t: `bench/fan/${turn}`,
    cmd_t: "bench/fan/set",
    uniq_id: "bench-fan",
  });
  for (let turn = 0; turn < 100; turn += 1)
    say(source, "homeassistant/switch/bench/fan/config", config(turn));
  say(source, "homeassistant/switch/bench/pump/config", { ...config(99), uniq_id: "bench-pump" });
  assert.deepEqual([...heard.listening].toSorted(), ["bench/fan/99", "bench/status"]);
  say(source, "bench/fan/99", "ON");
  assert.equal(heard.before("discovery/entity/bench-fan")["isOn"], true);
  say(source, "homeassistant/switch/bench/fan/config", "");
  assert.ok(heard.listening.has("bench/fan/99"), "another device is still there");
  say(source, "homeassistant/switch/bench/pump/config", "");
  assert.deepEqual([...heard.listening], []);
});
