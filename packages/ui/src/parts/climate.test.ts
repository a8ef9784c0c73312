import assert from "node:assert/strict";
import { test } from "node:test";
import type { Controlled } from "../controls/registry.ts";
import { airIn, airText, motionIn } from "./climate.ts";

function device(type: string, state: Controlled["state"]): Controlled {
  return { type, capabilities: { values: [] }, state };
}

test("the air is the mean of the sensors that answer, without lamps", () => {
  const home = [
    device("SENSOR", { temperature: 20, humidity: 40 }),
    device("SENSOR", { temperature: 22, humidity: null }),
    device("SENSOR", { temperature: 90, reachable: false }),
    device("LIGHT", { temperature: 2900 }),
  ];
  assert.deepEqual(airIn(home), [
    ["temperature", 21],
    ["humidity", 40],
  ]);
  assert.equal(airText(home), "21\u202f°C · 40\u202f%");
  assert.deepEqual([airIn([]), airText([])], [[], ""]);
});

const motions: readonly [string, Controlled["state"][], number | "now" | undefined][] = [
  ["nothing that would see it", [{ temperature: 20 }, { motion: false, lastMotion: null }], undefined],
  ["the last of several", [{ lastMotion: 5 }, { motion: false, lastMotion: 7 }, {}], 7],
  [
    "somebody who moves now",
    [
      { motion: false, lastMotion: 7 },
      { motion: true, lastMotion: 5 },
    ],
    "now",
  ],
  ["a sensor out of reach that saw somebody", [{ motion: true, lastMotion: 7, reachable: false }], undefined],
];
for (const [what, states, expected] of motions) {
  test(`motion of ${what}`, () => {
    assert.equal(motionIn(states.map((state) => device("MOTION", state))), expected);
  });
}
