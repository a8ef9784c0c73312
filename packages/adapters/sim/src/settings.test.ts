import assert from "node:assert/strict";
import test from "node:test";
import { AdapterError } from "@ledge/port";
import { readSettings } from "./settings.ts";

test("fills in the defaults", () => {
  const defaults = {
    seed: 1,
    latencyMs: 60,
    lossRate: 0,
    speed: 1,
    devices: 40,
    remember: true,
    reportsPerSecond: 0,
    script: [],
  };
  assert.deepEqual(readSettings(undefined, 40), defaults);
  assert.deepEqual(readSettings(null, 40), defaults);
  assert.deepEqual(readSettings({ seed: 9 }, 40), { ...defaults, seed: 9 });
});

const wrong: readonly [settings: unknown, field: string][] = [
  ["fast", "settings"],
  [[], "settings"],
  [{ seed: 1.5 }, "seed"],
  [{ latencyMs: -1 }, "latencyMs"],
  [{ lossRate: 1.01 }, "lossRate"],
  [{ speed: 0 }, "speed"],
  [{ devices: 20_001 }, "devices"],
  [{ reportsPerSecond: 10_001 }, "reportsPerSecond"],
  [{ sped: 1 }, "sped"],
  [{ script: {} }, "script"],
  [{ script: [{ native: "x" }] }, "script[0]"],
  [
    {
      script: [
        { atMs: 0, native: "x" },
        { atMs: 0, native: "" },
      ],
    },
    "script[1].native",
  ],
];
for (const [settings, field] of wrong) {
  test(`refuses ${JSON.stringify(settings)} and names ${field}`, () => {
    assert.throws(
      () => readSettings(settings, 40),
      (error) => error instanceof AdapterError && error.code === "settings" && error.message.includes(field),
    );
  });
}
