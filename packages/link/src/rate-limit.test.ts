import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Buckets, Rate } from "./rate-limit.ts";

describe("rate limits", () => {
  test("a bucket refills evenly and holds at most a minute's worth", () => {
    const rate = new Rate(60);
    const bucket = rate.full(0);
    for (let i = 0; i < 60; i++) assert.equal(rate.take(bucket, 0), 0);
    assert.equal(rate.take(bucket, 0), 1);
    assert.equal(rate.take(bucket, 999), 1);
    assert.equal(rate.take(bucket, 1000), 0);
    assert.equal(rate.take(bucket, 1000), 1);
    for (let i = 0; i < 60; i++) assert.equal(rate.take(bucket, 10_000_000), 0);
    assert.equal(rate.take(bucket, 10_000_000), 1);
  });

  test("a request can cost several units, and one that exceeds a full bucket leaves a debt", () => {
    const rate = new Rate(60);
    const bucket = rate.full(0);
    assert.equal(rate.take(bucket, 0, 50), 0);
    assert.equal(rate.take(bucket, 0, 11), 1);
    assert.equal(rate.take(bucket, 0, 10), 0);
    assert.equal(rate.take(bucket, 0, 90), 60);
    assert.equal(rate.take(bucket, 60_000, 90), 0);
    assert.equal(rate.take(bucket, 60_000), 31);
  });

  test("a period can be longer than a minute", () => {
    const buckets = new Buckets(2, 1, 600_000);
    assert.deepEqual(
      [0, 0, 0].map((now) => buckets.take("a", now)),
      [0, 0, 300],
    );
    assert.equal(buckets.take("a", 299_999), 1);
    assert.equal(buckets.take("a", 300_000), 0);
  });

  test("the time to wait is enough, and a second less is not", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 0, max: 5000 }),
        (perMinute, early) => {
          const rate = new Rate(perMinute);
          const bucket = rate.full(0);
          let wait = 0;
          while (wait === 0) wait = rate.take(bucket, early);
          assert.equal(rate.take({ ...bucket }, early + wait * 1000 + 1), 0);
          if (wait > 1) assert.ok(rate.take({ ...bucket }, early + (wait - 1) * 1000 - 1) > 0);
        },
      ),
    );
  });

  test("Buckets keeps a bounded number of buckets by key", () => {
    const buckets = new Buckets(1, 3);
    for (const key of ["a", "b", "c"]) assert.equal(buckets.take(key, 0), 0);
    assert.ok(buckets.take("a", 0) > 0);
    assert.equal(buckets.take("d", 0), 0);
    assert.equal(buckets.size, 3);
    assert.ok(buckets.take("a", 0) > 0, "a was used after b and is kept");
    assert.equal(buckets.take("b", 0), 0);
    assert.ok(buckets.take("b", 0) > 0);
    assert.ok(buckets.take("a", 0) > 0, "using an existing bucket evicts no other");
    for (let i = 0; i < 10_000; i++) buckets.take(`flood${i}`, 0);
    assert.equal(buckets.size, 3);
  });
});
