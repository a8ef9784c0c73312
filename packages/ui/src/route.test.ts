import assert from "node:assert/strict";
import { test } from "node:test";
import { hrefOf, routeOf } from "./route.ts";

const routes: readonly [hash: string, screen: string, id: string | null, query: object][] = [
  ["", "home", null, {}],
  ["#/", "home", null, {}],
  ["#/devices", "devices", null, {}],
  ["#/devices/a%2Fb?x=1", "devices", "a/b", { x: "1" }],
  ["#/devices?filter=hall%20lamp", "devices", null, { filter: "hall lamp" }],
  ["#/devices/%E0%A4%A", "devices", "%E0%A4%A", {}],
  ["#devices/", "devices", null, {}],
];
for (const [hash, screen, id, query] of routes) {
  test(`finds ${screen} in ${JSON.stringify(hash)}`, () => {
    assert.deepEqual(routeOf(hash), { screen, id, query });
  });
}

test("writes hashes that it reads back", () => {
  for (const [screen, id, query] of [
    ["home", null, {}],
    ["devices", "a/b?c", {}],
    ["devices", null, { filter: "x&y" }],
  ] as const) {
    assert.deepEqual(routeOf(hrefOf(screen, id, query)), { screen, id, query });
  }
});

test("leaves empty values out of a hash", () => {
  assert.equal(hrefOf("devices", null, { filter: "", chip: "battery" }), "#/devices?chip=battery");
});
