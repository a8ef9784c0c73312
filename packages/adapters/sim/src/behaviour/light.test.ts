import assert from "node:assert/strict";
import test from "node:test";
import type { House } from "../house.ts";
import { beginHouse } from "../house.ts";
import { seeded } from "../random.ts";
import type { Attributes, LivePart } from "./behaviour.ts";
import { light } from "./light.ts";

const start = Date.UTC(2026, 0, 15, 10);
const colour = { dims: true, colours: true, white: [2000, 6500] } as const;

function step(lamp: LivePart, ms: number): void {
  const house: House = { ...beginHouse(start, []), now: start + ms };
  lamp.step({ house, air: house.air.living, own: {}, ms, random: seeded(1) });
}

const lampOf = (kind: Parameters<typeof light>[0]): LivePart => light(kind)(seeded(1));

const modes: readonly [name: string, told: readonly Attributes[], shown: Attributes][] = [
  [
    "starts in white mode",
    [],
    { isOn: false, colorMode: "ct", hue: -1, saturation: -1, minTemperature: 2000, maxTemperature: 6500 },
  ],
  [
    "a hue switches to colour mode",
    [{ hue: 1.5 }],
    { colorMode: "hs", hue: 1.5, saturation: 1, temperature: -1 },
  ],
  [
    "a temperature switches to white mode",
    [{ hue: 1 }, { temperature: 2202.643171806167 }],
    { colorMode: "ct", hue: -1, temperature: 2202.643171806167 },
  ],
  [
    "an explicit mode wins",
    [{ hue: 1, temperature: 3000, colorMode: "ct" }],
    { colorMode: "ct", temperature: 3000, hue: -1 },
  ],
  [
    "a mode alone restores its last values",
    [{ hue: 2 }, { temperature: 3000 }, { colorMode: "hs" }],
    { colorMode: "hs", hue: 2, temperature: -1 },
  ],
  [
    "-1 changes nothing",
    [{ temperature: 3000, hue: -1, saturation: -1 }],
    { colorMode: "ct", temperature: 3000, saturation: -1 },
  ],
  ["brightness does not switch the lamp on", [{ brightness: 0.25 }], { isOn: false, brightness: 0.25 }],
  [
    "switching off keeps the brightness",
    [{ isOn: true, brightness: 0.25 }, { isOn: false }],
    { isOn: false, brightness: 0.25 },
  ],
];
for (const [name, told, shown] of modes) {
  test(`lamp: ${name}`, () => {
    const lamp = lampOf(colour);
    for (const wanted of told) lamp.set(wanted, start);
    const all = lamp.show();
    assert.deepEqual(Object.fromEntries(Object.keys(shown).map((key) => [key, all[key]])), shown);
    assert.ok(!("transitionMsec" in all), "it is write-only");
  });
}

test("a transition passes through intermediate values and ends at the exact target", () => {
  const lamp = lampOf(colour);
  lamp.set({ brightness: 0.1 }, start);
  lamp.set({ brightness: 0.4667, transitionMsec: 4000 }, start);
  const shown = [0, 1000, 2000, 3000, 4000, 5000].map((ms) => {
    step(lamp, ms);
    return lamp.show()["brightness"];
  });
  assert.deepEqual(shown, [0.1, 0.192, 0.283, 0.375, 0.4667, 0.4667]);
});

test("a new transition starts from the current intermediate value", () => {
  const lamp = lampOf(colour);
  lamp.set({ brightness: 0 }, start);
  lamp.set({ brightness: 1, transitionMsec: 1000 }, start);
  lamp.set({ brightness: 0, transitionMsec: 1000 }, start + 500);
  step(lamp, 500);
  assert.equal(lamp.show()["brightness"], 0.5);
  step(lamp, 1000);
  assert.equal(lamp.show()["brightness"], 0.25);
});

test("fades the brightness but not the colour when it changes from white", () => {
  const lamp = lampOf(colour);
  lamp.set({ brightness: 0 }, start);
  lamp.set({ hue: 3, saturation: 1, brightness: 1, transitionMsec: 1000 }, start);
  step(lamp, 500);
  assert.deepEqual([lamp.show()["hue"], lamp.show()["brightness"]], [3, 0.5]);
});

test("a lamp shows only the attributes it supports", () => {
  assert.deepEqual(Object.keys(lampOf({ dims: false }).show()), ["isOn"]);
  assert.deepEqual(Object.keys(lampOf({ dims: true }).show()), ["isOn", "brightness"]);
});
