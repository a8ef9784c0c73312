import assert from "node:assert/strict";
import { test } from "node:test";
import { timezones } from "./hub.ts";
import { cityOf } from "./zone-locations.ts";

const greenwich = { latitude: 51.48, longitude: 0 };

for (const [zone, latitude, longitude] of [
  ["Europe/Helsinki", 60.17, 24.97],
  ["America/New_York", 40.71, -74.01],
  ["America/Argentina/Buenos_Aires", -34.6, -58.45],
  ["Australia/Lord_Howe", -31.55, 159.08],
  // Old names and other cases, which the runtime also knows.
  ["Asia/Calcutta", 22.53, 88.37],
  ["Asia/Kolkata", 22.53, 88.37],
  ["US/Eastern", 40.71, -74.01],
  ["europe/kiev", 50.43, 30.52],
] as const) {
  test(`cityOf finds the city of ${zone}`, () => assert.deepEqual(cityOf(zone), { latitude, longitude }));
}

for (const zone of ["UTC", "Etc/GMT+5", "", "constructor", "Europe/Nowhere"]) {
  test(`cityOf falls back to Greenwich for "${zone}"`, () => assert.deepEqual(cityOf(zone), greenwich));
}

test("cityOf knows a city on the globe for every time zone", () => {
  for (const zone of timezones().filter((name) => name.includes("/") && !name.startsWith("Etc/"))) {
    const { latitude, longitude } = cityOf(zone);
    assert.ok(latitude !== greenwich.latitude, zone);
    assert.ok(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180, zone);
  }
});
