import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Numbering } from "./numbering.ts";

test("numbers that are given in one go are stored once for each device, the next ones before them", async () => {
  const stored = new Map<string, unknown>();
  const puts: string[] = [];
  const store = {
    get: (key: string) => stored.get(key),
    put: async (key: string, value: unknown) => {
      puts.push(key);
      stored.set(key, value);
    },
  };
  const numbering = new Numbering({ store, log: () => assert.fail("not stored") });
  const numbers = ["a", "b"].flatMap((device) =>
    ["temperature", "humidity"].map((attribute) => numbering.of(device, attribute, "analogInput")),
  );
  await setImmediate();
  assert.deepEqual(numbers, [1, 2, 3, 4]);
  assert.deepEqual(puts, ["server/next", "server/device/a", "server/device/b"]);
  const again = new Numbering({ store, log: () => assert.fail("not stored") });
  assert.equal(again.of("b", "humidity", "analogInput"), 4);
  assert.equal(again.of("c", "humidity", "analogInput"), 5);
  await setImmediate();
  assert.deepEqual(puts.slice(3), ["server/next", "server/device/c"]);
});
