import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { EventLog } from "./event-log.ts";
import { commitAt } from "./lmdb-log.child.ts";
import { openLmdbLog } from "./lmdb-log.ts";
import { memoryLog } from "./memory-log.ts";

const rounds = 10;
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const child = fileURLToPath(new URL("./lmdb-log.child.ts", import.meta.url));

/** What a log lacks of the commits that were acknowledged, or holds otherwise; one line per finding. */
function losses(log: EventLog, acknowledged: readonly number[]): string[] {
  const found: string[] = [];
  const present = new Set<number>();
  for (const commit of log.read()) {
    present.add(commit.timestamp);
    if (!isDeepStrictEqual(commit, commitAt(commit.timestamp))) found.push(`${commit.timestamp} is another`);
  }
  for (const timestamp of acknowledged) if (!present.has(timestamp)) found.push(`${timestamp} is lost`);
  for (const { timestamp, problem } of log.verify().damage) found.push(`at ${timestamp}: ${problem}`);
  return found;
}

/** Lets the child append, kills it `delayMs` after its first acknowledgement, and returns all it has said. */
async function killedAfter(folder: string, round: number, delayMs: number): Promise<number[]> {
  const args = [child, "append", folder, String(seed + round)];
  const writer = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.on("data", (data) => (said += String(data)));
  await once(writer.stdout, "data");
  await setTimeout(delayMs);
  writer.kill("SIGKILL");
  await once(writer, "close");
  return said.split("\n").slice(0, -1).map(Number);
}

test(`a killed process loses nothing acknowledged (SEED=${seed})`, { timeout: 60_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ledge-kill-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const delayMs = ((seed + round * 7919) % 120) + 1;
    acknowledged.push(...(await killedAfter(folder, round, delayMs)));
    const log = await openLmdbLog({ folder });
    assert.equal(log.recovered, undefined);
    assert.deepEqual(losses(log, acknowledged), [], `round ${round}`);
    assert.ok(log.last >= Math.max(...acknowledged));
    await log.close();
  }
  assert.ok(acknowledged.length > rounds * 20, `only ${acknowledged.length} commits were acknowledged`);
});

test("the check itself finds a lost, a changed and a damaged commit", async () => {
  const log = memoryLog();
  for (const timestamp of [1, 2, 4]) await log.append(commitAt(timestamp));
  assert.deepEqual(losses(log, [1, 2, 4]), []);
  assert.deepEqual(losses(log, [1, 2, 3, 4, 5]), ["3 is lost", "5 is lost"]);
  await log.append({ ...commitAt(5), timestamp: 6 });
  assert.deepEqual(losses(log, [6]), ["6 is another"]);
  log.damage(60);
  assert.throws(() => losses(log, [1]), { code: "damaged" });
});
