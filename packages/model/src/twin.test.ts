import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute } from "./capability.ts";
import { twinOf, twinPairs } from "./twin.ts";

test("twins name each other, have the same capabilities, and convert both ways", () => {
  for (const { names } of twinPairs) {
    for (const [name, other] of [names, names.toReversed()] as [string, string][]) {
      const twin = twinOf(name);
      assert.equal(twin?.name, other);
      for (const value of [0, 0.25, 1]) assert.equal(twinOf(other)?.convert(twin.convert(value)), value);
      assert.deepEqual(attribute(name)?.settableBy, attribute(other)?.settableBy);
    }
  }
});

test("converts a position of one half to 50 percent, and keeps setpoints", () => {
  assert.equal(twinOf("position")?.convert(0.5), 50);
  assert.equal(twinOf("liftPct")?.convert(50), 0.5);
  assert.equal(twinOf("targetTemp")?.convert(21.3), 21.3);
});

test("twinOf is undefined for attributes with one name and for unknown ones", () => {
  for (const name of ["isOn", "tiltPct", "nothing", "constructor", ""]) assert.equal(twinOf(name), undefined);
});
