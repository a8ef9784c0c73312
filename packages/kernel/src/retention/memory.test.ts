import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type EventLog, openLmdbLog } from "@ledge/log";
import { aggregates, categories, EpochOpened, type LoggedEvent } from "@ledge/model";
import { pastPartsOf } from "../open-kernel.ts";
import { prune } from "./prune.ts";

const mebibyte = 1_048_576;
const keptBytes = 100 * mebibyte;
/** A compaction has what it rewrites in memory twice, as blocks and as what LMDB gets, plus its read buffers. */
const mostBytes = 120 * mebibyte;

const shared = { version: 1, origin: "system", depth: 0 } as const;

async function append(log: EventLog, events: readonly LoggedEvent[]): Promise<void> {
  await log.append({ timestamp: log.last + 1, events });
}

/** Creates a log of events that are kept for ever, with some among them that may be removed. */
async function fill(folder: string): Promise<void> {
  const log = await openLmdbLog({ folder });
  const timer = { ...shared, type: "TimerCancelled", id: "t" };
  const room = { ...shared, type: "RoomCreated", id: "r", name: "Hall", order: 0 };
  await append(log, [room]);
  for (let round = 0; log.stats().frameBytes < keptBytes; round++) {
    if (round % 10 === 0) await append(log, [timer]);
    const renamed = { ...shared, type: "RoomRenamed", id: "r", name: `${round}`.padEnd(2000, "x") };
    await append(
      log,
      Array.from({ length: 100 }, () => renamed),
    );
  }
  await append(log, [timer]);
  await log.saveSnapshot({ timestamp: log.last, format: "any", rows: [] });
  await append(log, [timer]);
  await log.close();
}

/** Returns the anonymous memory of this process (bytes). Mapped pages of the log's file do not count. */
function ownBytes(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Compacts a whole log and prints by how much the process has grown at most. */
async function compact(folder: string): Promise<void> {
  const log = await openLmdbLog({ folder });
  const newId = randomUUID;
  const parts = pastPartsOf({ aggregates, categories, epochEvent: EpochOpened.type, newId, release: "test" });
  const horizon = await log.boundary(Infinity, Infinity, setImmediate);
  assert.ok(horizon > 0);
  const before = ownBytes();
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, ownBytes())), 5);
  const { removedEvents } = await prune(log, horizon, parts, () => setImmediate());
  clearInterval(look);
  const { damage } = log.verify();
  await log.close();
  process.stdout.write(JSON.stringify({ grown: Math.max(most, ownBytes()) - before, removedEvents, damage }));
}

const [task, folder = ""] = process.argv.slice(2);
if (task === "fill") await fill(folder);
else if (task === "compact") await compact(folder);
else
  test("compacts in bounded memory, however much is kept", { skip: !hasProc() }, () => {
    const place = mkdtempSync(join(tmpdir(), "ledge-memory-"));
    try {
      const run = (what: string): string =>
        execFileSync(process.execPath, [fileURLToPath(import.meta.url), what, place], { encoding: "utf8" });
      run("fill");
      const found = JSON.parse(run("compact")) as {
        grown: number;
        removedEvents: number;
        damage: readonly unknown[];
      };
      assert.deepEqual(found.damage, []);
      assert.ok(found.removedEvents > 5, `${found.removedEvents} events went`);
      assert.ok(found.grown < mostBytes, `${Math.round(found.grown / mebibyte)} MiB`);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

function hasProc(): boolean {
  return process.platform === "linux";
}
