import assert from "node:assert/strict";
import { test } from "node:test";
import { devicesOf } from "./unseen.ts";

test("counts the devices of each user that have not shown a notification", () => {
  const clients = [
    { user: "ann", uuid: "phone" },
    { user: "bob", uuid: "tablet" },
    { user: "ann", uuid: "watch" },
  ];
  assert.deepEqual(devicesOf({ clients }), [
    ["ann", 2],
    ["bob", 1],
  ]);
  assert.deepEqual(devicesOf({ clients: [] }), []);
});
