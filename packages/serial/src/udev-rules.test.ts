import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { udevRules } from "./udev-rules.ts";

const file = new URL("../../../systemd/65-ledge-serial.rules", import.meta.url);

test("the rules in systemd/ are those of the table: node scripts/udev-rules.ts", () => {
  assert.equal(readFileSync(file, "utf8"), udevRules());
});
