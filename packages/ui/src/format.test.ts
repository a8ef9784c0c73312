import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  agoOf,
  bytesOf,
  clockIn,
  clockOf,
  clockOfMinutes,
  dayIn,
  dayName,
  hourIn,
  kWhOf,
  momentOf,
  moneyOf,
  nameOfAttribute,
  scaleOf,
  spanOf,
  stampOf,
  textOf,
  wattsOf,
  weekClockOf,
} from "./format.ts";
import { speak } from "./texts/texts.ts";
import { homeZone, zone } from "./zone.ts";

after(() => speak("en"));

const of = (type: string, ...values: string[]): Parameters<typeof textOf>[0] => ({
  type,
  capabilities: { values },
});
const lamp = of("LIGHT");
const sensor = of("MULTI_SENSOR");

const written: readonly [device: typeof lamp, attribute: string, value: unknown, en: string, fi: string][] = [
  [lamp, "isOn", true, "On", "Päällä"],
  [lamp, "brightness", 0.6496, "65 %", "65 %"],
  [lamp, "temperature", 2900, "2,900 K", "2 900 K"],
  [sensor, "temperature", 21.25, "21.3 °C", "21,3 °C"],
  [sensor, "temperature", -0.04, "0 °C", "0 °C"],
  [sensor, "pressure", 101_270, "1,013 hPa", "1 013 hPa"],
  [sensor, "batteryLow", true, "Low", "Vähissä"],
  [lamp, "hue", Math.PI, "180°", "180°"],
  [of("THERMOSTAT", "HVAC"), "mode", 3, "Cool", "Jäähdytys"],
  [of("THERMOSTAT", "VU"), "mode", 3, "Most", "Maksimi"],
  [of("THERMOSTAT", "VU"), "mode", 9, "9", "9"],
  [sensor, "fanMode", 6, "Smart", "Älykäs"],
  [sensor, "co2Ppm", null, "unknown", "ei tiedossa"],
  [sensor, "strange", "a word", "a word", "a word"],
  [sensor, "strange", { a: 1 }, '{"a":1}', '{"a":1}'],
  [sensor, "constructor", true, "Yes", "Kyllä"],
];

for (const [device, attribute, value, en, fi] of written) {
  test(`writes ${attribute} ${JSON.stringify(value)} as ${en} and ${fi}`, async () => {
    const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, " ").replace("−", "-");
    await speak("en");
    assert.equal(plain(textOf(device, attribute, value)), en);
    await speak("fi");
    assert.equal(plain(textOf(device, attribute, value)), fi);
    await speak("en");
  });
}

test("keeps a value and its unit together", () => {
  assert.equal(textOf(sensor, "humidity", 42.4), "42\u202f%");
});

test("tells the colour temperature of a lamp from the temperature of a room", () => {
  assert.equal(nameOfAttribute(lamp, "temperature"), "Colour temperature");
  assert.equal(nameOfAttribute(sensor, "temperature"), "Temperature");
  assert.equal(nameOfAttribute(sensor, "own_field"), "own_field");
});

const passed: readonly [seconds: number, text: string][] = [
  [-5, "now"],
  [9, "now"],
  [29, "20 sec. ago"],
  [60, "1 min. ago"],
  [3599, "59 min. ago"],
  [7200, "2 hr. ago"],
  [86_400, "yesterday"],
];
for (const [seconds, text] of passed) {
  test(`says "${text}" of what was ${seconds} s ago`, () => {
    assert.equal(agoOf(1_000_000_000, 1_000_000_000 + seconds * 1000), text);
  });
}

test("writes and reads a time of day, and names the days of the week", () => {
  assert.equal(clockOfMinutes(65), "01:05");
  assert.equal(clockIn("01:05:00"), 65);
  assert.equal(clockIn("23:59"), 1439);
  for (const text of ["24:00", "1:60", "1:5", ""]) assert.equal(clockIn(text), undefined, text);
  assert.deepEqual([dayName(1), dayName(7)], ["Mon", "Sun"]);
});

test("writes sizes and lengths of time", () => {
  assert.deepEqual([0, 999_499_999, 1e9, 15_250_000_000].map(bytesOf), [
    "0\u202fMB",
    "999\u202fMB",
    "1\u202fGB",
    "15.3\u202fGB",
  ]);
  assert.deepEqual([0, 59_999, 60_000, 3_600_000, 200_000_000].map(spanOf), [
    "0 minutes",
    "0 minutes",
    "1 minute",
    "1 hour",
    "2 days",
  ]);
});

test("writes energy, power, money, and times of another zone", () => {
  assert.deepEqual([0, 1.234, 12.34].map(kWhOf), ["0\u202fkWh", "1.23\u202fkWh", "12.3\u202fkWh"]);
  assert.deepEqual([999, 1234, -2000].map(wattsOf), ["999\u202fW", "1.23\u202fkW", "-2\u202fkW"]);
  assert.equal(moneyOf(-0.5, "EUR"), "-€0.50");
  const midnight = Date.UTC(2026, 10, 23, 22);
  assert.match(dayIn(midnight, "Europe/Helsinki"), /^Tue.*24/);
  assert.match(dayIn(midnight, "UTC"), /^Mon.*23/);
  assert.match(hourIn(midnight, "Asia/Kolkata"), /^3:30/);
});

test("writes times in the zone of the home, and in the browser's where it does not know that zone", async () => {
  await speak("en");
  const at = Date.UTC(2026, 10, 24, 22, 30, 5);
  after(() => (homeZone.value = undefined));
  const all = (): string => [momentOf(at), weekClockOf(at), clockOf(at)].join("; ").replaceAll("\u202f", " ");
  homeZone.value = "Pacific/Auckland";
  assert.equal(all(), "Nov 25, 2026, 11:30 AM; Wed 11:30 AM; 11:30:05 AM");
  homeZone.value = "America/New_York";
  assert.equal(all(), "Nov 24, 2026, 5:30 PM; Tue 05:30 PM; 5:30:05 PM");
  homeZone.value = "Mars/Olympus";
  assert.equal(zone.value, undefined);
});

test("writes times for programs in the zone of the home, with its offset", () => {
  const at = Date.UTC(2026, 9, 25, 0, 30, 5);
  homeZone.value = "Europe/Helsinki";
  assert.equal(stampOf(at), "2026-10-25T03:30:05+03:00");
  assert.equal(stampOf(at + 3_600_000), "2026-10-25T03:30:05+02:00");
  homeZone.value = "Etc/UTC";
  assert.equal(stampOf(at), "2026-10-25T00:30:05+00:00");
  homeZone.value = undefined;
});

test("names the scale of an attribute's numbers", () => {
  assert.deepEqual(scaleOf(sensor, "pressure", false), { unit: "hPa", factor: 0.01 });
  assert.deepEqual(scaleOf(lamp, "temperature", false), { unit: "K", factor: 1 });
  assert.deepEqual(scaleOf(lamp, "brightness", false), { unit: "%", factor: 100 });
  assert.deepEqual(scaleOf(lamp, "isOn", true), { unit: "%", factor: 100 });
  assert.deepEqual(scaleOf(lamp, "counter", false), { unit: "", factor: 1 });
});
