import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sticks } from "@ledge/testkit/zigbee";
import { stickKinds } from "../settings.ts";
import { isRestorable } from "./backup.ts";

const page = readFileSync(new URL("../../../../../docs/radios.md", import.meta.url), "utf8");

/** The cells of a driver's row in the table of what has been tried. */
function rowOf(kind: string): readonly string[] {
  const row = new RegExp(`^\\| \`${kind}\` +\\|(.*)\\|$`, "m").exec(page)?.[1];
  return row?.split("|").map((cell) => cell.trim()) ?? [];
}

for (const kind of stickKinds)
  test(`docs/radios.md says what has been tried with ${kind} sticks`, () => {
    const [real, simulated, restore] = rowOf(kind);
    assert.equal(real, "not tried");
    assert.equal(simulated, kind in sticks ? "tried" : "not tried");
    assert.equal(restore, isRestorable(kind) ? "yes" : "no");
  });
