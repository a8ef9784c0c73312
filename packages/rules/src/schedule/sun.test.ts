import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { helsinki, places } from "./test-ranges.ts";
import { sunOn } from "./sun.ts";
import { Zone } from "./zone.ts";

const dayMs = 86_400_000;
const toleranceMs = 120_000;
const utsjoki = { ...helsinki, latitude: 69.75, longitude: 27.03 };
const dayOf = (date: string): number => Date.parse(`${date}T00:00Z`) / dayMs;

/** As published by the Finnish Meteorological Institute, and for Tokyo by the National Astronomical Observatory. */
const published = [
  ["2009-07-20", "Helsinki", 60.17, 24.94, "04:32", "22:19"],
  ["2009-07-20", "Oulu", 65.01, 25.47, "03:33", "23:13"],
  ["2009-07-20", "Rovaniemi", 66.55, 25.73, "03:03", "23:40"],
  ["2009-07-20", "Tokyo", 35.66, 139.74, "04:40", "18:55"],
  ["2012-06-21", "Helsinki", 60.17, 24.94, "03:54", "22:50"],
  ["2015-12-20", "Helsinki", 60.17, 24.94, "09:23", "15:12"],
  ["2015-12-20", "Oulu", 65.01, 25.47, "10:28", "14:03"],
  ["2015-12-20", "Rovaniemi", 66.55, 25.73, "11:07", "13:22"],
  ["2015-12-20", "Tokyo", 35.66, 139.74, "06:46", "16:31"],
] as const;
/** Days on which the sun neither rises nor sets, from the same sources. */
const withoutRise = [
  ["2009-07-20", "Utsjoki", 69.75, 27.03],
  ["2012-05-18", "Utsjoki", 69.91, 27.03],
  ["2015-12-20", "Utsjoki", 69.75, 27.03],
  ["2015-12-20", "Saariselkä", 68.33, 27.41],
  ["2015-12-20", "Sodankylä", 67.42, 26.59],
  // Rovaniemi never has a polar night, but has midnight sun at midsummer.
  ["2026-06-21", "Rovaniemi", 66.55, 25.73],
] as const;

describe("the sun", () => {
  for (const [date, city, latitude, longitude, rise, set] of published) {
    test(`rises and sets in ${city} on ${date} as published`, () => {
      const zone = city === "Tokyo" ? "Asia/Tokyo" : "Europe/Helsinki";
      const { SUNRISE, SUNSET } = sunOn(dayOf(date), { zone, latitude, longitude });
      const local = (time: string): number => new Zone(zone).toInstant(Date.parse(`${date}T${time}Z`));
      assert.ok(Math.abs(SUNRISE.at - local(rise)) <= toleranceMs, new Date(SUNRISE.at).toISOString());
      assert.ok(Math.abs(SUNSET.at - local(set)) <= toleranceMs, new Date(SUNSET.at).toISOString());
    });
  }

  for (const [date, city, latitude, longitude] of withoutRise) {
    test(`does not rise in ${city} on ${date}`, () => {
      const { SUNRISE, SUNSET } = sunOn(dayOf(date), { ...helsinki, latitude, longitude });
      assert.deepEqual([SUNRISE.happens, SUNSET.happens], [false, false]);
    });
  }

  for (const place of places) {
    test(`rises and sets around noon on each day in ${place.zone}`, () => {
      const zone = new Zone(place.zone);
      for (let day = dayOf("2026-01-01"); day < dayOf("2027-01-01"); day += 1) {
        const { DAWN, SUNRISE, SUNSET, DUSK } = sunOn(day, place);
        const noon = zone.toInstant(day * dayMs + dayMs / 2);
        assert.ok(DAWN.at < SUNRISE.at && SUNRISE.at < noon && noon < SUNSET.at && SUNSET.at < DUSK.at);
        assert.ok(DUSK.at < sunOn(day + 1, place).DAWN.at);
      }
    });
  }

  test("belongs to the right day in zones across the date line", () => {
    for (const [name, latitude, longitude] of [
      ["Pacific/Kiritimati", 1.87, -157.33],
      ["Pacific/Apia", -13.83, -171.73],
      ["Pacific/Auckland", -36.87, 174.77],
    ] as const) {
      const day = dayOf("2026-03-20");
      const { SUNRISE, SUNSET } = sunOn(day, { zone: name, latitude, longitude });
      const zone = new Zone(name);
      assert.deepEqual(
        [SUNRISE.at, SUNSET.at].map((at) => Math.floor(zone.toLocal(at) / dayMs)),
        [day, day],
      );
    }
  });

  test("rises and sets at midnight when it stays up in Utsjoki, at noon when it stays down", () => {
    const noon = (date: string): number => Date.parse(`${date}T10:12Z`);
    const near = (a: number, b: number): boolean => Math.abs(a - b) < 600_000;
    const summer = sunOn(dayOf("2026-06-21"), utsjoki);
    assert.deepEqual([summer.SUNRISE.happens, summer.DAWN.happens], [false, false]);
    assert.ok(near(summer.SUNRISE.at, noon("2026-06-21") - dayMs / 2));
    assert.ok(near(summer.SUNSET.at, noon("2026-06-21") + dayMs / 2));
    assert.equal(summer.DUSK.at, summer.SUNSET.at);
    const winter = sunOn(dayOf("2026-12-21"), utsjoki);
    assert.deepEqual([winter.SUNRISE.happens, winter.SUNSET.happens], [false, false]);
    assert.ok(near(winter.SUNRISE.at, noon("2026-12-21")));
    assert.equal(winter.SUNSET.at, winter.SUNRISE.at);
    assert.ok(winter.DAWN.happens && winter.DAWN.at < winter.SUNRISE.at && winter.SUNSET.at < winter.DUSK.at);
  });

  test("stays up for half of the year at a pole", () => {
    const pole = { zone: "UTC", latitude: 90, longitude: 0 };
    const [june, dayAfter, december] = ["2026-06-21", "2026-06-22", "2026-12-21"].map((date) =>
      sunOn(dayOf(date), pole),
    );
    assert.equal(dayAfter?.SUNRISE.at, june?.SUNSET.at);
    assert.ok((june?.SUNSET.at ?? 0) - (june?.SUNRISE.at ?? 0) > dayMs - 60_000);
    assert.equal(december?.DUSK.at, december?.DAWN.at);
    assert.deepEqual([june?.SUNSET.happens, december?.DUSK.happens], [false, false]);
  });
});
