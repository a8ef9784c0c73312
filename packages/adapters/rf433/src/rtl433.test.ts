import assert from "node:assert/strict";
import { test } from "node:test";
import { readRtl433 } from "./rtl433.ts";
import type { Signal } from "./signal.ts";

const read = (event: object): Signal | undefined => readRtl433(JSON.stringify(event));

test("reads a thermometer of rtl_433", () => {
  const line =
    '{"time" : "2026-11-27 14:55:29", "model" : "Nexus-TH", "id" : 90, "channel" : 1, "battery_ok" : 1, "temperature_C" : 21.500, "humidity" : 45}';
  assert.deepEqual(readRtl433(line), {
    protocol: "Nexus-TH",
    address: "90-1",
    values: { batteryLow: false, temperature: 21.5, humidity: 45 },
  });
});

const values: readonly (readonly [object, Signal["values"]])[] = [
  [
    { temperature_F: 50, battery_ok: 0 },
    { temperature: 10, batteryLow: true },
  ],
  [
    { battery_ok: 0.3, battery_mV: 2900 },
    { batteryLow: true, battery: 30, batteryV: 2.9 },
  ],
  [
    { wind_avg_km_h: 36, wind_max_m_s: 12, wind_dir_deg: 270, rain_in: 1 },
    {
      "extras.wind": 10,
      "extras.gust": 12,
      "extras.wind_direction": 270,
      "extras.rain": 25.4,
    },
  ],
  [
    { pressure_kPa: 101.3, light_lux: 12, co2_ppm: 800, pm2_5_ug_m3: 4 },
    {
      pressure: 101_300,
      lux: 12,
      co2Ppm: 800,
      pm25: 4,
    },
  ],
  [
    { closed: 1, tamper: 0 },
    { open: false, tamper: false },
  ],
  [{ reed_open: true, contact_open: 0 }, { open: true }],
  [
    { detect_wet: 1, motion: 1, smoke: 0 },
    { moisture: true, motion: true, alert: false },
  ],
  [
    { power_W: -3.5, energy_kWh: 12.25, moisture: 40 },
    { activePower: -3.5, totalPower: 12.25, soilMoisture: 40 },
  ],
  // Nothing of an impossible value.
  [{ temperature_C: "warm", humidity: 130, closed: 2, uv: null, tamper: [] }, {}],
];
for (const [fields, expected] of values)
  test(`reads the values of ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(read({ model: "M", id: 1, ...fields })?.values, expected);
  });

test("reads the keys of remotes and doorbells", () => {
  const said = (event: object): unknown => {
    const { values: _, ...rest } = read({ model: "M", ...event }) ?? { values: {} };
    return rest;
  };
  const at = { protocol: "M", address: "7" };
  assert.deepEqual(said({ id: 7, unit: 3, command: "On" }), { ...at, unit: "3", order: "on", word: "On" });
  assert.deepEqual(said({ id: 7, unit: 3, state: "OFF", group: 1 }), {
    ...at,
    unit: "3",
    order: "off",
    isForAll: true,
    word: "OFF",
  });
  assert.deepEqual(said({ id: 7, cmd: 12 }), { ...at, word: "12" });
  assert.deepEqual(said({ id: 7, event: "constructor" }), { ...at, word: "constructor" });
  assert.deepEqual(said({ id: 7, doorbell: 1, state: "ON" }), { ...at, order: "ring" });
});

test("a device without an id has one by its model", () => {
  assert.equal(read({ model: "M", temperature_C: 1 })?.address, "0");
  assert.equal(read({ model: "M", subtype: "PIR", id: "ab", channel: 2 })?.address, "PIR-ab-2");
});

test("passes over what is no event", () => {
  for (const line of [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"model":1e999}',
    '{"model":""}',
    '{"model":{}}',
    "rtl_433 version 22.11",
  ])
    assert.equal(readRtl433(line), undefined, line);
  for (const event of [
    { model: "a;b" },
    { model: "é" },
    { model: "x".repeat(65) },
    { model: "M", id: "a\nb" },
  ])
    assert.equal(read(event), undefined, JSON.stringify(event));
  assert.equal(readRtl433(`{"model":"M","code":"${"f".repeat(5000)}"}`), undefined);
});
