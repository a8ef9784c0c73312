import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { sourceFlags } from "@ledge/testkit/programs";
import { test } from "node:test";

test("a hub that is killed repeatedly commands no device twice, and its log rebuilds the home", () => {
  const args = [
    ...sourceFlags,
    join(import.meta.dirname, "rules-kills.ts"),
    "--days",
    "1",
    "--kills",
    "3",
    "--json",
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.match(stdout, /^\{/, stderr);
  const { seed, kills, twice, isRebuilt, commands } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(
    { kills, twice, isRebuilt },
    { kills: 3, twice: 0, isRebuilt: true },
    `seed ${String(seed)}`,
  );
  assert.ok(Number(commands) > 0);
});
