import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openLmdbLog } from "@ledge/log";
import { temporaryFolder } from "@ledge/testkit";
import { sourceFlags } from "@ledge/testkit/programs";
import { type HistoryIndex, openHistoryIndex } from "./history-index.ts";
import { reported, scanned } from "./test-log.ts";

const rounds = 6;
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const child = fileURLToPath(new URL("./index-log.child.ts", import.meta.url));

/** Starts the child and returns its output. With `delayMs`, kills it this long after its first output. */
async function killedAfter(delayMs: number | undefined, args: readonly string[]): Promise<string> {
  const indexing = spawn(process.execPath, [...sourceFlags, child, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  indexing.stdout.on("data", (data) => (said += String(data)));
  const closed = once(indexing, "close");
  await Promise.race([once(indexing.stdout, "data"), closed]);
  if (delayMs !== undefined) {
    await setTimeout(delayMs);
    indexing.kill("SIGKILL");
  }
  await closed;
  return said;
}

test(
  `leaves an index that is right up to its mark when killed, and continues from there (SEED=${seed})`,
  { timeout: 300_000 },
  async (context) => {
    const folder = temporaryFolder();
    context.after(() => folder.remove());
    const [logFolder, indexFolder] = [join(folder.path, "log"), join(folder.path, "history")];
    const log = await openLmdbLog({ folder: logFolder });
    for (let timestamp = 1; timestamp <= 5000; timestamp++) {
      const events = [reported(`d${timestamp % 7}`, { t: timestamp, on: timestamp % 3 === 0 })];
      void log.append({ timestamp, events });
      if (timestamp % 500 === 0) await log.append({ timestamp: (timestamp += 1), events: [] });
    }
    await log.move();
    const all = scanned(log).samples;
    let mark = 0;
    let open: HistoryIndex | undefined;
    for (let round = 0; round < rounds; round++) {
      const said = await killedAfter(((seed + round * 7919) % 40) + 1, [logFolder, indexFolder]);
      assert.doesNotMatch(said, /rebuilt/);
      const index = openHistoryIndex(indexFolder);
      // Keep the old reader open until now: a reader must not hinder a writer.
      await open?.close();
      open = index;
      const told = said
        .split("\n")
        .slice(0, -1)
        .map(Number)
        .filter((number) => number > 0);
      assert.ok(index.mark.timestamp >= (told.at(-1) ?? mark), `the mark ${index.mark.timestamp}`);
      mark = index.mark.timestamp;
      assert.equal(index.verify(), undefined);
      for (const [key, samples] of all) {
        const [device = "", attribute = ""] = key.split(" ");
        const expected = samples.filter(({ timestamp }) => timestamp <= mark);
        assert.deepEqual([...index.samples(device, attribute, 0, 1e9)], expected);
      }
    }
    assert.match(await killedAfter(undefined, [logFolder, indexFolder]), /done/);
    await open?.close();
    await log.close();
  },
);

test("leaves an index that is right up to its mark on a full disk, and continues when there is room", async (context) => {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  const [logFolder, indexFolder] = [join(folder.path, "log"), join(folder.path, "history")];
  const log = await openLmdbLog({ folder: logFolder });
  for (let timestamp = 1; timestamp <= 400; timestamp++) {
    const events = Array.from({ length: 50 }, (_, i) => reported(`d${i}`, { t: timestamp }));
    const appended = log.append({ timestamp, events });
    if (timestamp % 100 === 0) await appended;
  }
  await log.move();
  const all = scanned(log).samples;
  // A limit on the file's size makes the real write fail, for any user and without a full disk.
  const script = `ulimit -f 400 && exec "$0" "$@"`;
  const indexing = spawn(
    "sh",
    ["-c", script, process.execPath, ...sourceFlags, child, logFolder, indexFolder],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  let said = "";
  indexing.stdout.on("data", (data) => (said += String(data)));
  await once(indexing, "close");
  assert.doesNotMatch(said, /done/);
  const told = Number(said.trimEnd().split("\n").at(-1));
  assert.ok(told > 1, said);
  const index = openHistoryIndex(indexFolder);
  assert.equal(index.verify(), undefined);
  const mark = index.mark.timestamp;
  assert.ok(mark >= told);
  for (const [key, samples] of all) {
    const [device = "", attribute = ""] = key.split(" ");
    const expected = samples.filter(({ timestamp }) => timestamp <= mark);
    assert.deepEqual([...index.samples(device, attribute, 0, 1e9)], expected);
  }
  await index.close();
  assert.match(await killedAfter(undefined, [logFolder, indexFolder]), /done/, "there is room again");
  await log.close();
});
