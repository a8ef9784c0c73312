import assert from "node:assert/strict";
import { test } from "node:test";
import { Heard, say } from "../testdata/heard.ts";
import { colourIn, colourOf } from "./colours.ts";
import { HomeAssistantDiscovery } from "./home-assistant.ts";

test("red, green and blue become hue and saturation and back, all the way round", () => {
  for (let degrees = 0; degrees < 360; degrees += 7)
    for (const saturation of [0.2, 0.5, 1]) {
      const hue = (degrees * Math.PI) / 180;
      const read = colourIn(colourOf("rgb", { hue, saturation }, {}));
      assert.ok(Math.abs(Number(read["hue"]) - hue) < 0.06 / saturation, `${degrees} ${saturation}`);
      assert.ok(Math.abs(Number(read["saturation"]) - saturation) < 0.01, `${degrees} ${saturation}`);
    }
  assert.deepEqual(colourOf("rgb", { hue: 0, saturation: 1 }, {}), { r: 255, g: 0, b: 0 });
  assert.deepEqual(colourOf("rgb", { hue: (2 * Math.PI) / 3, saturation: 1 }, {}), { r: 0, g: 255, b: 0 });
  assert.deepEqual(colourOf("hs", { hue: Math.PI }, { saturation: 0.5 }), { h: 180, s: 50 });
});

test("what is no colour says nothing", () => {
  const junk = [null, {}, { r: 1 }, { r: -1, g: 0, b: 0 }, { r: 256, g: 0, b: 0 }, { h: 361, s: 1 }, "red"];
  for (const said of [...junk, { h: 1, s: 101 }, { r: "NaN", g: 0, b: 0 }, { r: 0, g: 0, b: 0 }])
    assert.deepEqual(colourIn(said), {}, JSON.stringify(said));
  for (const wanted of [{ isOn: true }, { hue: "red" }, { hue: -1 }, { saturation: 2 }])
    assert.equal(colourOf("rgb", wanted, {}), undefined, JSON.stringify(wanted));
});

test("a lamp of ESPHome shows its colour or its white, and takes both", () => {
  const heard = new Heard();
  const source = new HomeAssistantDiscovery("homeassistant", heard);
  say(source, "homeassistant/light/strip/strip/config", {
    schema: "json",
    dev: { ids: "ddeeff", name: "Strip" },
    stat_t: "strip/light/strip/state",
    cmd_t: "strip/light/strip/command",
    supported_color_modes: ["rgbww", "color_temp"],
    name: "Strip",
    uniq_id: "strip",
  });
  const native = "discovery/entity/strip";
  const { capabilities } = heard.announced.get(native) ?? assert.fail();
  for (const each of ["COLOR_HS", "COLOR_TEMP", "BRIGHTNESS"] as const)
    assert.ok(capabilities.includes(each), each);
  const state = { state: "ON", brightness: 255, color_temp: 250 };
  const color = { r: 0, g: 0, b: 255, w: 0 };
  say(source, "strip/light/strip/state", { ...state, color_mode: "rgbww", color });
  const { hue, saturation, colorMode, temperature } = heard.before(native);
  assert.deepEqual([hue, saturation, colorMode, temperature], [(4 * Math.PI) / 3, 1, "hs", undefined]);
  say(source, "strip/light/strip/state", { ...state, color_mode: "color_temp", color });
  assert.deepEqual([heard.before(native)["colorMode"], heard.before(native)["temperature"]], ["ct", 4000]);
  assert.deepEqual(
    source.set(native, { hue: 0 })?.map(({ payload }) => payload),
    ['{"state":"ON","color":{"r":255,"g":0,"b":0}}'],
  );
});
