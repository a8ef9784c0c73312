import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Expiry, expiryAt, ExpiryWatch, type Validity, validityOf } from "./certificate.ts";
import { makeSelfSigned } from "./self-signed.ts";

const dayMs = 86_400_000;
const pem = (from: number, until: number): string =>
  makeSelfSigned("hub.example", [new Date(from), new Date(until)]).certificate;

test("validityOf is the validity that all certificates of a chain share", () => {
  const leaf = pem(10 * dayMs, 100 * dayMs);
  assert.deepEqual(validityOf(leaf), { from: 10 * dayMs, until: 100 * dayMs });
  const above = pem(20 * dayMs, 90 * dayMs);
  for (const chain of [leaf + above, above + leaf, `# names\n${leaf}\n\n${above}`])
    assert.deepEqual(validityOf(chain), { from: 20 * dayMs, until: 90 * dayMs });
  for (const none of ["", "none", leaf.replace(/M/g, "")]) assert.throws(() => validityOf(none));
});

for (const [life, left, expiry] of [
  [365, limits.certificateWarnMs + 1, "good"],
  [365, limits.certificateWarnMs, "expiring"],
  [365, 1, "expiring"],
  [365, 0, "expired"],
  [365, -dayMs, "expired"],
  [6, 1.5 * dayMs + 1, "good"],
  [6, 1.5 * dayMs, "expiring"],
] as const) {
  test(`expiryAt calls a certificate for ${life} days with ${left} ms left ${expiry}`, () => {
    const until = life * dayMs;
    assert.equal(expiryAt({ from: 0, until }, until - left), expiry);
  });
}

test("ExpiryWatch reports each finding once, when it changes, and only with a trusted clock", () => {
  const clock = new SimulatedClock();
  const now = clock.wall();
  let validity: Validity | undefined = { from: now, until: now + 60 * dayMs };
  let isClockTrusted = false;
  const told: [Expiry, number][] = [];
  const watch = new ExpiryWatch({
    clock,
    isClockTrusted: () => isClockTrusted,
    validity: () => validity,
    found: (expiry, until) => told.push([expiry, Math.round((until - now) / dayMs)]),
  });
  const news = (days: number): unknown[] => {
    clock.advance(days * dayMs);
    return told.splice(0);
  };
  assert.deepEqual(news(1), []);
  isClockTrusted = true;
  assert.deepEqual(news(1), [["good", 60]]);
  assert.deepEqual(news(43), []);
  assert.deepEqual(news(1), [["expiring", 60]]);
  assert.deepEqual(news(13), []);
  assert.deepEqual(news(1), [["expired", 60]]);
  assert.deepEqual(news(30), []);
  validity = { from: now, until: now + 110 * dayMs };
  watch.look();
  assert.deepEqual(news(0), [["good", 110]]);
  validity = undefined;
  assert.deepEqual(news(30), []);
  watch.stop();
  validity = { from: now, until: now };
  assert.deepEqual(news(1), []);
});
