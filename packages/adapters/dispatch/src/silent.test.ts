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

test("puts silent devices last, the least recently tried one first", () => {
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

test("keeps the time of the last try when a device is added again", () => {
  const silent = new SilentDevices();
  silent.add("a", 20);
  silent.add("b", 10);
  silent.add("a");
  assert.equal(order(silent), "cdba");
});

test("a success or refusal ends silence, a missing answer begins it, other errors change nothing", () => {
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

test("remembers as many silent devices as a hub can have", () => {
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
