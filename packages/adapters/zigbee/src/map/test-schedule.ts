import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsProblem } from "@ledge/model";
import { settingItems, withoutEmptyDays } from "./configuration.ts";
import type { Unit } from "./unit.ts";

export const monday = "weekly_schedule.monday";

/** Texts that are no day of a weekly schedule. */
export const noDays = [
  "",
  "monday",
  "24:00/20",
  "6:60/20",
  "06:00/x",
  "06:00",
  "06:00/20;22:00/17",
  "06:00/300",
  Array.from({ length: 11 }, () => "00:00/17").join(" "),
] as const;

/**
 * Tests what all weekly schedules have in common.
 * @param empty the settings by which Monday is known as empty
 */
export function scheduleSuite(unit: Unit, empty: Readonly<Record<string, unknown>>): void {
  test("has a setting for each day", () => {
    const items = settingItems(unit).filter(({ name }) => name.startsWith("weekly_schedule."));
    assert.equal(items.length, 8);
    assert.equal(itemsProblem(items), undefined);
  });

  test("leaves out the days that the device knows as empty already", () => {
    const tuesday = "weekly_schedule.tuesday";
    const others = { [tuesday]: "06:00/20", else: "" };
    assert.deepEqual(withoutEmptyDays(unit, { ...others, [monday]: "" }, empty), others);
    for (const wanted of [{ [monday]: "06:00/20" }, { [monday]: " " }, { [tuesday]: "" }])
      assert.deepEqual(withoutEmptyDays(unit, wanted, empty), wanted);
    assert.deepEqual(withoutEmptyDays(unit, { [monday]: "" }, {}), { [monday]: "" });
  });
}
