import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SilentDevices } from "./silent.ts";

const devices = ["a", "b", "c", "d"].map((native) => ({ native }));

function order(silent: SilentDevices): string {
  return silent
    .inTurn(devices)
    .map(({ native }) => native)
    .join("");
}

test("silent devices come last, whoever was not tried for the longest first", () => {
  const silent = new SilentDevices();
  assert.equal(order(silent), "abcd");
  silent.add("a", 20);
  silent.add("b", 10);
  silent.add("c");
  assert.equal(order(silent), "dcba");
  silent.tried("c", 30);
  silent.tried("d", 40);
  assert.equal(order(silent), "dbac");
});

test("that a device is said to be away does not change when it was tried", () => {
  const silent = new SilentDevices();
  silent.add("a", 20);
  silent.add("b", 10);
  silent.add("a");
  assert.equal(order(silent), "cdba");
});

test("what says that a device is there ends its silence, what says nothing of it leaves it", () => {
  const silent = new SilentDevices();
  const send = { isCast: false, isAwaited: true };
  for (const error of [undefined, "refused", "unsupported"] as const) {
    silent.add("a", 10);
    silent.answered("a", { ...send, error, isAwaited: false }, 20);
    assert.equal(silent.has("a"), false, error);
  }
  silent.answered("a", { ...send, error: "busy" }, 20);
  silent.answered("a", { ...send, error: "timeout", isAwaited: false }, 20);
  silent.answered("a", { ...send, error: "timeout", isCast: true }, 20);
  assert.equal(silent.has("a"), false);
  silent.answered("a", { ...send, error: "unreachable", isCast: true }, 20);
  silent.answered("b", { ...send, error: "timeout" }, 10);
  assert.equal(order(silent), "cdba");
  assert.equal(silent.delete("a"), true);
  assert.equal(silent.delete("a"), false);
});

test("as many silent devices are remembered as a hub can have", () => {
  const silent = new SilentDevices();
  for (let at = 0; at <= limits.devices; at++) silent.add(`${at}`, at);
  assert.equal(silent.has(`${limits.devices - 1}`), true);
  assert.equal(silent.has(`${limits.devices}`), false);
  silent.tried("0", 1_000_000);
  const both = [{ native: "0" }, { native: "1" }];
  assert.deepEqual(silent.inTurn(both), both.toReversed());
  silent.delete("0");
  silent.add(`${limits.devices}`);
  assert.equal(silent.has(`${limits.devices}`), true);
});
