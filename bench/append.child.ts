// One writer that waits for each acknowledgement, as a process of its own.
//
//   node append.child.ts file|log|sqlite PATH EVENTS_PER_COMMIT
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openLmdbLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { quantile } from "./rounds.ts";

export type Engine = "file" | "log" | "sqlite";

export interface AppendResult {
  readonly commits: number;
  /** Time from the call to the acknowledgement. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How late a timer of 1 ms is, 99 times of 100. */
  readonly gapMs: number;
  readonly flushes: number;
  readonly bytes: number;
}

interface Writer {
  append(timestamp: number, events: readonly LoggedEvent[]): Promise<void>;
  /** Has what a later commit would have to write written now. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}

const warmCommits = 20;
const commits = 150;

const [engine = "", path = "", batchText = "1"] = process.argv.slice(2);
const writers: Readonly<Record<string, () => Promise<Writer>>> = {
  file: fileWriter,
  log: logWriter,
  sqlite: sqliteWriter,
};
await measure(Number(batchText), await (writers[engine] as () => Promise<Writer>)());

async function measure(batch: number, writer: Writer): Promise<void> {
  const samples: number[] = [];
  const gaps: number[] = [];
  const append = (timestamp: number): Promise<void> => writer.append(timestamp, events(timestamp, batch));
  for (let commit = 0; commit < warmCommits; commit++) await append(1 + commit);
  await writer.settle?.();
  process.geteuid?.();
  const stop = watchLoop(gaps);
  for (let commit = 0; commit < commits; commit++) {
    const start = performance.now();
    await append(1 + warmCommits + commit);
    samples.push(performance.now() - start);
  }
  stop();
  await writer.close();
  process.geteuid?.();
  const [p50Ms, p99Ms, gapMs] = [quantile(samples, 0.5), quantile(samples, 0.99), quantile(gaps, 0.99)];
  const result: AppendResult = { commits, p50Ms, p99Ms, gapMs, flushes: 0, bytes: 0 };
  process.stdout.write(JSON.stringify(result));
}

/** Events of about 200 bytes each. */
function events(timestamp: number, count: number): readonly LoggedEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "DeviceReported",
    id: `00000000-0000-4000-9000-${String(index).padStart(12, "0")}`,
    version: 1,
    origin: "device",
    depth: 0,
    attributes: { temperature: 20 + (index % 100) / 10, humidity: 0.45 },
    at: 1_768_000_000_000 + timestamp,
  }));
}

function watchLoop(gaps: number[]): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  }, 1);
  return () => clearInterval(timer);
}

/** Appended to a file of zeros, each commit flushed by fdatasync: the least that a disk can be asked for. */
async function fileWriter(): Promise<Writer> {
  const file = await open(path, "w");
  await file.write(Buffer.alloc(16 << 20));
  await file.sync();
  let at = 0;
  return {
    async append(timestamp, list) {
      const json = Buffer.from(JSON.stringify({ timestamp, events: list }));
      await file.write(json, 0, json.length, at);
      await file.datasync();
      at += json.length;
    },
    close: () => file.close(),
  };
}

async function logWriter(): Promise<Writer> {
  const log = await openLmdbLog({ folder: path });
  return {
    append: (timestamp, list) => log.append({ timestamp, events: list }),
    settle: () => log.move(),
    close: () => log.close(),
  };
}

async function sqliteWriter(): Promise<Writer> {
  mkdirSync(path);
  const database = new DatabaseSync(join(path, "log.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE log (timestamp INTEGER, place INTEGER, event TEXT, PRIMARY KEY (timestamp, place)) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO log VALUES (?, ?, ?)");
  return {
    async append(timestamp, list) {
      database.exec("BEGIN");
      for (const [place, event] of list.entries()) insert.run(timestamp, place, JSON.stringify(event));
      database.exec("COMMIT");
    },
    close: async () => database.close(),
  };
}
