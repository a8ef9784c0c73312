import assert from "node:assert/strict";
import { test } from "node:test";
import { regionBytes, regionCount } from "./layout.ts";
import { Ring } from "./ring.ts";

const quarter = regionBytes / 4;

test("fills region after region, but not one that holds unmoved blocks", () => {
  const ring = new Ring();
  for (let i = 0; i < regionCount * 4; i++) {
    assert.equal(ring.place(quarter, 0), i * quarter);
    ring.took(quarter, i + 1);
  }
  assert.deepEqual([ring.fits(1), ring.oldest, ring.place(quarter, 3)], [false, 4, undefined]);
  assert.equal(ring.place(quarter, 4), 0, "the first region is moved");
  ring.took(quarter, 17);
  assert.deepEqual([ring.fits(3 * quarter), ring.fits(3 * quarter + 1)], [true, false]);
  assert.equal(ring.oldest, 8);
});

test("starts the next region when a frame does not fit", () => {
  const ring = new Ring();
  ring.took(3 * quarter, 1);
  assert.equal(ring.place(2 * quarter, 0), regionBytes);
  assert.equal(ring.place(regionBytes, 0), regionBytes);
});
