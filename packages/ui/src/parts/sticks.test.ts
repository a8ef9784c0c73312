import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stick } from "../api/setup.ts";
import { freeSticks, usedSticks } from "./sticks.ts";

test("a stick waits for a use if the hub knows it, it is there, and no adapter uses it", () => {
  const stick: Stick = {
    port: "/dev/ttyUSB0",
    isThere: true,
    model: "Dongle",
    protocol: "zigbee",
    driver: "zstack",
    usedBy: null,
  };
  const others: readonly Partial<Stick>[] = [
    { model: null },
    { protocol: null },
    { isThere: false },
    { isThere: null },
    { usedBy: "zigbee" },
  ];
  const all = [stick, ...others.map((other) => ({ ...stick, ...other }))];
  assert.deepEqual(freeSticks(all), [stick]);
  assert.deepEqual(usedSticks(all), [{ ...stick, usedBy: "zigbee" }]);
});
