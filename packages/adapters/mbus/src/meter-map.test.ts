import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, decodeApplication, fromHex } from "@ledge/mbus";
import { type Reading, readingOf } from "./meter-map.ts";

const header = "78 56 34 12 2D 2C 08 04 01 00 00 00";
const read = (records: string): Reading =>
  readingOf([decodeApplication(0x72, fromHex(`${header} ${records}`), undefined)]);

test("a heat meter has energy, volume, flow, power, temperatures, and what it counted at the due date", () => {
  const reading = read(
    `04 06 D2 04 00 00 04 13 39 30 00 00 02 3B 7B 00 02 2D 05 00 02 59 5A 19 02 5D 77 10 02 61 E3 08
     44 06 E8 03 00 00 42 6C DF 1C 44 13 10 27 00 00`,
  );
  assert.deepEqual(reading.attributes, {
    totalPower: 1234,
    volume: 12_345,
    flow: 123,
    activePower: 500,
    flowTemp: 64.9,
    "extras.return_temperature": 42.15,
    "extras.temperature_difference": 22.75,
    "extras.due_date_energy": 1000,
    "extras.due_date": "2014-12-31",
    "extras.due_date_volume": 10_000,
  });
  assert.deepEqual(reading.capabilities, [
    "DEVICE",
    "POWER_METER",
    "FLOW_VOLUME",
    "FLOW",
    "MEASURE_POWER",
    "ACTIVE_POWER",
    "FLOW_TEMPERATURE",
  ]);
  assert.deepEqual(reading.extras[0], {
    name: "return_temperature",
    fieldType: "NUMBER",
    unit: "°C",
    writable: false,
  });
  assert.deepEqual([reading.manufacturer, reading.model], ["KAM", "Kamstrup Multical 601"]);
});

test("an electricity meter has mains by phase, and energy in both directions", () => {
  const { attributes } = read(
    `04 03 10 27 00 00 04 83 3C E8 03 00 00 02 2B F4 01 02 AB FC 02 64 00 02 FD C8 FC 01 FC 08 02 FD D9 FC 03 E8 03`,
  );
  assert.deepEqual(attributes, {
    totalPower: 10,
    producedEnergy: 1,
    activePower: 500,
    powerB: 100,
    voltageA: 230,
    currentC: 1,
  });
});

test("energy of tariffs is summed up where a meter sends no total", () => {
  assert.deepEqual(read("84 10 03 E8 03 00 00 84 20 03 D0 07 00 00").attributes, { totalPower: 3 });
  assert.deepEqual(read("84 10 03 E8 03 00 00 04 03 88 13 00 00").attributes, { totalPower: 5 });
});

test("a room sensor has temperature and humidity", () => {
  const { attributes } = read("02 65 D0 08 02 FC 03 48 52 25 74 D4 11 42 65 E4 08 12 65 23 09");
  assert.deepEqual(attributes, { temperature: 22.56, humidity: 45.64 });
});

test("joules, litres per minute and fixed counters become the hub's units", () => {
  assert.deepEqual(read("04 0E 01 00 00 00 02 47 06 00").attributes, {
    totalPower: 0.277777778,
    flow: 360_000,
  });
  const fixed = decode(fromHex("68 13 13 68 08 05 73 78 56 34 12 0A 00 E9 7E 01 00 00 00 35 01 00 00 3C 16"));
  assert.deepEqual(readingOf([fixed]).attributes, { volume: 1 });
});

test("reports nothing that a meter has no value for", () => {
  const errors = [
    "0B 13 A0 0B EE",
    "32 5A 00 00",
    "04 93 15 00 00 00 00",
    "05 5B 00 00 C0 7F",
    "0D 13 01 41",
  ];
  for (const records of errors) assert.deepEqual(read(records).attributes, {}, records);
});
