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
import { sourceFlags } from "@ledge/testkit/programs";
import type { EventLog } from "./event-log.ts";
import { commitAt, stays } from "./lmdb-log.child.ts";
import { openLmdbLog } from "./lmdb-log.ts";
import { memoryLog } from "./memory-log.ts";

const rounds = 10;
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const child = fileURLToPath(new URL("./lmdb-log.child.ts", import.meta.url));

/**
 * Lists the acknowledged commits that a log lacks or holds with other content, and its damage. One line per
 * finding.
 */
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

/**
 * Starts the child, which appends and possibly compacts. Kills it `delayMs` after its first acknowledgement, and
 * returns every line that it printed.
 */
async function killedAfter(
  mode: "append" | "compact",
  folder: string,
  round: number,
  delayMs: number,
): Promise<string[]> {
  const args = [...sourceFlags, child, mode, folder, String(seed + round)];
  const writer = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.on("data", (data) => (said += String(data)));
  await once(writer.stdout, "data");
  await setTimeout(delayMs);
  writer.kill("SIGKILL");
  await once(writer, "close");
  return said.split("\n").slice(0, -1);
}

test(
  `loses nothing acknowledged when the process is killed (SEED=${seed})`,
  { timeout: 300_000 },
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-kill-"));
    context.after(() => rmSync(folder, { recursive: true }));
    const acknowledged: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const delayMs = ((seed + round * 7919) % 120) + 1;
      acknowledged.push(...(await killedAfter("append", folder, round, delayMs)).map(Number));
      const log = await openLmdbLog({ folder });
      assert.equal(log.recovered, undefined);
      assert.deepEqual(losses(log, acknowledged), [], `round ${round}`);
      assert.ok(log.last >= Math.max(...acknowledged));
      await log.close();
    }
    assert.ok(acknowledged.length > rounds * 20, `only ${acknowledged.length} commits were acknowledged`);
  },
);

test(
  `keeps the old log or the new one when the process is killed during compaction (SEED=${seed})`,
  {
    timeout: 300_000,
  },
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "ledge-kill-"));
    context.after(() => rmSync(folder, { recursive: true }));
    const acknowledged: number[] = [];
    let horizons = 0;
    for (let round = 0; round < rounds; round++) {
      const delayMs = ((seed + round * 7919) % 250) + 50;
      const said = await killedAfter("compact", folder, round, delayMs);
      acknowledged.push(...said.filter((line) => !line.startsWith("h")).map(Number));
      const done = said
        .filter((line) => line.startsWith("h"))
        .map((line) => Number(line.slice("horizon ".length)));
      horizons += done.length;
      const log = await openLmdbLog({ folder });
      assert.ok(log.horizon >= (done.at(-1) ?? 0), `the horizon ${log.horizon} is not behind ${done.at(-1)}`);
      const left = acknowledged.filter((timestamp) => timestamp > log.horizon || stays(timestamp));
      assert.deepEqual(losses(log, left), [], `round ${round}`);
      const gone = [...log.read(0, log.horizon)].filter(({ timestamp }) => !stays(timestamp));
      assert.deepEqual(gone, [], "no event that compaction removed is left below the horizon");
      if (log.horizon > 0) {
        const [base] = log.bases();
        assert.deepEqual([log.bases().length, base?.timestamp], [1, log.horizon]);
        assert.equal([...(log.loadBase("x")?.rows ?? [])][0], log.horizon);
      }
      await log.close();
    }
    assert.ok(horizons > 0, "nothing was compacted");
  },
);

test("the check reports lost, changed and damaged commits", async () => {
  const log = memoryLog();
  for (const timestamp of [1, 2, 4]) await log.append(commitAt(timestamp));
  assert.deepEqual(losses(log, [1, 2, 4]), []);
  assert.deepEqual(losses(log, [1, 2, 3, 4, 5]), ["3 is lost", "5 is lost"]);
  await log.append({ ...commitAt(5), timestamp: 6 });
  assert.deepEqual(losses(log, [6]), ["6 is another"]);
  log.damage(60);
  assert.throws(() => losses(log, [1]), { code: "damaged" });
});
