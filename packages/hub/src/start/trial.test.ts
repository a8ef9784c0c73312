import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@ledge/kernel";
import { LogError, openLmdbLog } from "@ledge/log";
import type { Command } from "@ledge/model";
import { logFolder } from "@ledge/host/folder";
import { temporaryFolder } from "../testdata/hub-process.ts";
import { RunNote } from "./run-note.ts";
import { startKernel } from "./start-kernel.ts";

const parts = { clock: systemClock, timeTrusted: () => true, onFatal: () => {}, telemetryWindowMs: 250 };

test("after deaths in a row, checks a copy of the log, serves a sound one, and deletes all copies", async () => {
  const folder = temporaryFolder();
  try {
    const log = await openLmdbLog({ folder: logFolder(folder.path) });
    await log.append({ timestamp: 10, events: [] });
    await log.close();
    // The check works on a copy of the log.
    rmSync(join(logFolder(folder.path), "journal"));
    mkdirSync(join(folder.path, "try-killed"));
    writeFileSync(join(folder.path, "try-killed", "data.mdb"), "a copy");
    for (let death = 0; death < 3; death++) new RunNote(folder.path).begin();
    const { kernel, close } = await startKernel(folder.path, parts);
    assert.equal(kernel.health.state, "serving");
    await close();
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith("try-")),
      [],
    );
    assert.ok(existsSync(join(folder.path, "run.json")));
  } finally {
    folder.remove();
  }
});

test("a failed write during the close makes the stop unclean", async () => {
  const folder = temporaryFolder();
  const { kernel, close } = await startKernel(folder.path, parts);
  const failure = new LogError("failed", "the disk is broken");
  kernel.log.append = () => Promise.reject(failure);
  const command = { type: "CREATE_HUB", name: "Cabin", timezone: "UTC" } as Command;
  const lost = kernel.submit({ commands: [command], origin: "system" });
  await Promise.all([close(), assert.rejects(lost)]);
  assert.equal(new RunNote(folder.path).isClean, false);
  const again = await startKernel(folder.path, parts);
  await again.close();
  assert.equal(new RunNote(folder.path).isClean, true);
  folder.remove();
});
