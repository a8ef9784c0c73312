// Acknowledged appends: the event log against a preallocated file with one fdatasync per commit, which is what
// the disk can do at best, and against node:sqlite. Each writer is a process of its own under a shim that makes
// every flush 10 ms longer and counts flushes and bytes.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Figure } from "./figure.ts";
import type { AppendResult, Engine } from "./append.child.ts";

const flushUs = 10_000;
const child = join(import.meta.dirname, "append.child.ts");
const shimSource = join(import.meta.dirname, "slow-flush.c");
const rounds = 3;

/** Bytes per event against the file's, by events per commit. */
const bytesLimits: ReadonlyMap<number, number> = new Map([
  [1, 1.15],
  [10, 1.15],
  [100, 1.9],
]);

type Results = Record<Engine, AppendResult>;

export async function appendFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const shim = join(folder, "slow-flush.so");
    execFileSync("gcc", ["-O2", "-shared", "-fPIC", "-o", shim, shimSource, "-ldl"]);
    const figures: Figure[] = [];
    for (const [batch, bytesLimit] of bytesLimits) {
      const results = await bestOf(folder, shim, batch);
      figures.push(...figuresOf(results, batch, bytesLimit));
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Engines take turns; of each the least p50, p99 and loop gap count, its counts are from the last round. */
async function bestOf(folder: string, shim: string, batch: number): Promise<Results> {
  const results: Partial<Results> = {};
  for (let round = 0; round < rounds; round++) {
    for (const engine of ["file", "log", "sqlite"] as const) {
      const result = await run(engine, folder, shim, batch, round);
      const before = results[engine];
      results[engine] = {
        ...result,
        p50Ms: Math.min(result.p50Ms, before?.p50Ms ?? Infinity),
        p99Ms: Math.min(result.p99Ms, before?.p99Ms ?? Infinity),
        gapMs: Math.min(result.gapMs, before?.gapMs ?? Infinity),
      };
    }
  }
  return results as Results;
}

async function run(
  engine: Engine,
  folder: string,
  shim: string,
  batch: number,
  round: number,
): Promise<AppendResult> {
  const path = join(folder, `${engine}-${batch}-${round}`);
  const env = { ...process.env, LD_PRELOAD: shim, SLOW_FLUSH_US: String(flushUs), FLUSH_COUNTS: "2" };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [child, engine, path, String(batch)],
    {
      env,
    },
  );
  const marks = [...stderr.matchAll(/^flushes (\d+) bytes (\d+)$/gm)].slice(-2);
  const [from, to] = marks.map(([, flushes, bytes]) => ({ flushes: Number(flushes), bytes: Number(bytes) }));
  if (from === undefined || to === undefined) throw new Error(`nothing was counted: ${stderr}`);
  const told = JSON.parse(stdout) as AppendResult;
  return { ...told, flushes: to.flushes - from.flushes, bytes: to.bytes - from.bytes };
}

function figuresOf({ file, log, sqlite }: Results, batch: number, bytesLimit: number): readonly Figure[] {
  const name = `append of ${batch}`;
  const how = `10 ms per flush, best of ${rounds} interleaved rounds`;
  const perEvent = ({ bytes, commits }: AppendResult): number => bytes / (commits * batch);
  const perCommit = ({ flushes, commits }: AppendResult): number => flushes / commits;
  const ratio = (what: string, value: number, limit: Figure["limit"], from = how): Figure => {
    return { name: `${name}, ${what}`, value, unit: "x", limit, gated: limit !== null, how: from };
  };
  const counted = "pages of 4 KB that writes touch, counted by the shim";
  return [
    { name: `${name}, p50`, value: log.p50Ms, unit: "ms", limit: null, gated: false, how },
    ratio("p50 per file", log.p50Ms / file.p50Ms, "<= 1.1"),
    ratio("p99 per file", log.p99Ms / file.p99Ms, "<= 1.4"),
    ratio("p50 per sqlite", log.p50Ms / sqlite.p50Ms, null, `node:sqlite, WAL, synchronous FULL; ${how}`),
    ratio("bytes per file", perEvent(log) / perEvent(file), `<= ${bytesLimit}`, counted),
    ratio("bytes per sqlite", perEvent(log) / perEvent(sqlite), null, counted),
    {
      name: `${name}, flushes per commit`,
      value: perCommit(log),
      unit: "",
      limit: batch > 10 ? "<= 1.1" : "<= 1.05",
      gated: true,
      how: "fsync, fdatasync and synchronous writes, counted by the shim",
    },
    { name: `${name}, loop gap p99`, value: log.gapMs, unit: "ms", limit: "<= 3", gated: false, how },
  ];
}
