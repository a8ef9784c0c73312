import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { udevRules } from "./udev-rules.ts";

const file = new URL("../../../systemd/65-ledge-serial.rules", import.meta.url);

test("systemd/ contains the generated rules: run node scripts/udev-rules.ts", () => {
  assert.equal(readFileSync(file, "utf8"), udevRules());
});
