import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { isExtendedPanId, newParameters } from "./parameters.ts";

test("draws valid parameters from random bytes only", () => {
  const seen = new Set<string>();
  for (let round = 0; round < 200; round += 1) {
    const { panId, extendedPanId, networkKey, channel } = newParameters(randomBytes);
    assert.ok(panId >= 1 && panId <= 0xfffd);
    assert.match(extendedPanId, /^[0-9a-f]{16}$/);
    assert.match(networkKey, /^[0-9a-f]{32}$/);
    assert.ok([11, 15, 20, 25].includes(channel));
    seen.add(networkKey).add(extendedPanId);
  }
  assert.equal(seen.size, 400);
  assert.equal(newParameters(randomBytes, 26).channel, 26);
});

test("never draws a broadcast PAN id", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (octets) => {
      const { panId } = newParameters((count) => octets.slice(0, count));
      return panId >= 1 && panId <= 0xfffd;
    }),
  );
  assert.equal(newParameters((count) => new Uint8Array(count).fill(0xff)).panId, 1 + (0xffff % 0xfffd));
});

test("recognises an extended PAN id in reverse byte order", () => {
  const parameters = { ...newParameters(randomBytes), extendedPanId: "0102030405060708" };
  for (const told of ["0x0102030405060708", "0102030405060708", "0x0807060504030201"])
    assert.ok(isExtendedPanId(told, parameters), told);
  assert.ok(!isExtendedPanId("0x0102030405060709", parameters));
});
