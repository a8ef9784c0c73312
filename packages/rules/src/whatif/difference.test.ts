import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { difference } from "./difference.ts";

const told = (at: number, isOn: boolean, device = "lamp") => ({ at, device, attributes: { isOn } });
const counts = (
  now: Parameters<typeof difference>[0],
  before: Parameters<typeof difference>[1],
): number[] => {
  const { onlyNew, onlyOld } = difference(now, before);
  return [onlyNew.length, onlyOld.length];
};

test("equal commands match when they are at most whatIfSameMs apart", () => {
  const { whatIfSameMs } = limits;
  assert.deepEqual(counts([told(5000, true)], [told(5000 + whatIfSameMs, true)]), [0, 0]);
  assert.deepEqual(counts([told(5000, true)], [told(5000 - whatIfSameMs, true)]), [0, 0]);
  assert.deepEqual(counts([told(5000, true)], [told(5001 + whatIfSameMs, true)]), [1, 1]);
  assert.deepEqual(counts([told(5000, true)], [told(5000, false)]), [1, 1]);
  assert.deepEqual(counts([told(5000, true)], [told(5000, true, "other")]), [1, 1]);
});

test("each command matches at most one other, whatever the order of its attributes", () => {
  assert.deepEqual(counts([told(1, true), told(2, true)], [told(1, true)]), [1, 0]);
  const [one, other] = [
    { at: 1, device: "lamp", attributes: { isOn: true, brightness: 1 } },
    { at: 1, device: "lamp", attributes: { brightness: 1, isOn: true } },
  ];
  assert.deepEqual(counts([one], [other]), [0, 0]);
});
