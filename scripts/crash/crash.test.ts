import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runSuite } from "./suite.ts";

const seed = process.env["SEED"] ?? String(Date.now() % 2 ** 31);

test(`20 power cuts and 5 kills lose nothing, and the suite catches the controls (SEED=${seed})`, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-crash-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const told: string[] = [];
  const totals = await runSuite({
    cuts: 20,
    kills: 5,
    seed,
    folder,
    keep: false,
    tell: (line) => void told.push(line),
  });
  assert.deepEqual(told, []);
  assert.deepEqual(totals, {
    cuts: 20,
    kills: 5,
    ackedLost: 0,
    corrupt: 0,
    crashLoops: 0,
    controlCaught: true,
  });
});
