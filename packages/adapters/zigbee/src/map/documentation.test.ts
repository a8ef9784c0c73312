import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { namedKeys } from "@ledge/exposes";
import { clusters } from "./clusters/index.ts";

const page = readFileSync(
  new URL("../../../../../docs/zigbee-devices.md", import.meta.url),
  "utf8",
).replaceAll(/\s+/g, " ");

test("the documentation has a row for every cluster", () => {
  for (const { cluster } of clusters) assert.ok(page.includes(`| \`${cluster}\` |`), cluster);
});

test("the documentation lists the ids of keys", () => {
  for (const { id, label } of Object.values(namedKeys).filter(({ id: each }) => each <= 13))
    assert.ok(page.includes(`${id} ${label}`), label);
});
