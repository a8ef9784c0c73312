import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { ascending } from "./ascending.ts";
import { number } from "../../catalogue/field.ts";

const extras = {
  low: number("NUMBER", 10, 0, 100),
  middle: number("NUMBER", 20, 0, 100),
  high: number("NUMBER", 30, 0, 100),
};
const check = ascending(extras, "low", "middle", "high");

function problem(values: Readonly<Record<string, number>>): string | undefined {
  const given = Object.entries(values).map(([name, value]) => [name, [{ type: "NUMBER", value }]]);
  const config = { extras: Object.fromEntries(given) as RuleConfig["extras"] } as RuleConfig;
  return check(config, {} as World)?.field;
}

test("each number must be greater than the one before, defaults included", () => {
  assert.equal(problem({}), undefined);
  assert.equal(problem({ low: 19 }), undefined);
  assert.equal(problem({ low: 20 }), "extras.middle");
  assert.equal(problem({ high: 20 }), "extras.high");
  assert.equal(problem({ low: 40, middle: 50, high: 60 }), undefined);
  assert.equal(problem({ low: 40, middle: 50 }), "extras.high");
});
