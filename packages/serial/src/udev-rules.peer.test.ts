import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { udevRules } from "./udev-rules.ts";

/** Returns udev's exit code for a file of rules. */
function verify(text: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), "ledge-rules-"));
  const file = join(folder, "65-ledge-serial.rules");
  writeFileSync(file, text);
  const { status } = spawnSync("udevadm", ["verify", "--resolve-names=never", file]);
  rmSync(folder, { recursive: true });
  return status;
}

test("udev accepts the rules and would report an error in them", () => {
  assert.equal(verify(udevRules()), 0);
  assert.notEqual(verify(udevRules().replace('MODE="0660"', 'MOOD="0660"')), 0);
});
