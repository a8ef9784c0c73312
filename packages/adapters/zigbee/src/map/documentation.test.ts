import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { namedKeys } from "./buttons.ts";
import { clusters } from "./clusters/index.ts";

const page = readFileSync(
  new URL("../../../../../docs/zigbee-devices.md", import.meta.url),
  "utf8",
).replaceAll(/\s+/g, " ");

test("every cluster has its row in the documentation, with what it gives", () => {
  for (const { cluster } of clusters) assert.ok(page.includes(`| \`${cluster}\` |`), cluster);
});

test("the documentation has the ids of keys", () => {
  for (const { id, label } of Object.values(namedKeys).filter(({ id: each }) => each <= 13))
    assert.ok(page.includes(`${id} ${label}`), label);
});
