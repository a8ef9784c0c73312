// How soon a hub is there and what it holds: replay against JSON.parse, start from a snapshot, memory.
import { closeSync, cpSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryLog, openLmdbLog } from "@ledge/log";
import { openTestKernel } from "@ledge/testkit";
import type { Figure } from "./figure.ts";
import { history } from "./home.ts";
import { bundled, HubFolder, type Program, sources } from "./hub-process.ts";
import { interleavedMinima } from "./rounds.ts";

const events = 100_000;
const devices = 10_000;
/** Single events that fill the journal: a page each. */
const journalFrames = 1024;

export async function startFigures(): Promise<readonly Figure[]> {
  return [...(await replay()), ...(await fullJournal()), ...(await snapshot()), ...(await hubProcess())];
}

async function replay(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const log = await openLmdbLog({ folder });
    const payloads: Buffer[] = [];
    for (const commit of history(events)) {
      payloads.push(Buffer.from(JSON.stringify(commit.events)));
      await log.append(commit);
    }
    const best = await interleavedMinima({
      replay: () => countEvents(log.read()),
      parse: () =>
        payloads.reduce((count, bytes) => count + (JSON.parse(bytes.toString()) as unknown[]).length, 0),
    });
    await log.close();
    const how = `${events} events in commits of 500, interleaved minima`;
    return [
      {
        name: "start replay, JSON.parse per read",
        value: best.parse / best.replay,
        unit: "x",
        limit: ">= 0.7",
        gated: true,
        how,
      },
      {
        name: "start replay, per event",
        value: best.replay / events,
        unit: "ns",
        limit: null,
        gated: false,
        how,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countEvents(commits: Iterable<{ readonly events: readonly unknown[] }>): number {
  let count = 0;
  for (const commit of commits) count += commit.events.length;
  return count;
}

/**
 * The log is opened over a journal of which nothing was moved: `data.mdb` as it was before the first commit,
 * beside the journal as it is after the last that fits. Both are on disk, as what a hub finds is: reading past
 * the page cache would first write what the copy has left there.
 */
async function fullJournal(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const [written, full] = [join(folder, "written"), join(folder, "full")];
  try {
    const log = await openLmdbLog({ folder: written });
    mkdirSync(full);
    cpSync(join(written, "data.mdb"), join(full, "data.mdb"));
    for (const commit of history(journalFrames, 1)) await log.append(commit);
    cpSync(join(written, "journal"), join(full, "journal"));
    const last = log.last;
    await log.close();
    let best = Infinity;
    for (let round = 0; round < 5; round++) {
      const copy = join(folder, String(round));
      cpSync(full, copy, { recursive: true });
      flushFiles(copy);
      const start = performance.now();
      const again = await openLmdbLog({ folder: copy });
      best = Math.min(best, performance.now() - start);
      if (again.last !== last) throw new Error(`the journal gave ${again.last} of ${last}`);
      await again.close();
    }
    const how = `openLmdbLog over ${journalFrames} frames of one event each, all on disk, nothing of it moved before, best of 5`;
    return [
      {
        name: "start of the log with a full journal",
        value: best,
        unit: "ms",
        limit: "<= 30",
        gated: false,
        how,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function flushFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const descriptor = openSync(join(folder, name), "r+");
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

async function snapshot(): Promise<readonly Figure[]> {
  const log = memoryLog();
  for (const commit of history(devices)) await log.append(commit);
  const first = openTestKernel({ log });
  await first.kernel.sync();
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const copy = log.clone();
    const start = performance.now();
    openTestKernel({ log: copy });
    best = Math.min(best, performance.now() - start);
  }
  const how = `kernel over a snapshot of ${devices} devices, best of 5`;
  return [{ name: "start from a snapshot", value: best, unit: "ms", limit: "<= 100", gated: false, how }];
}

/** From sources and from bundles, one after the other: how soon it answers, and what the bundled one holds. */
async function hubProcess(): Promise<readonly Figure[]> {
  const bundles = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const programs = { sources, bundle: await bundled(bundles) };
    const figures: Figure[] = [];
    for (const [from, program] of Object.entries(programs)) figures.push(...(await runHub(from, program)));
    return figures;
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

async function runHub(from: string, program: Program): Promise<readonly Figure[]> {
  const folder = new HubFolder({ sim: { seed: 1, devices } }, program);
  try {
    const first = await folder.start();
    await first.devices(devices, await first.key());
    // Reports that follow the announcement settle, and what they leave is collected.
    await sleep(5000);
    const memory = first.pss();
    await first.stop();
    const again = await folder.start();
    await again.stop();
    const how = `the hub process run from its ${from}, with ${devices} simulated devices`;
    const started = { unit: "ms", limit: null, gated: false, how };
    const isDevice = from === "bundle";
    return [
      { ...started, name: `start to the first answered /hub, empty, from ${from}`, value: first.startMs },
      {
        ...started,
        name: `start to the first answered /hub, ${devices} devices, from ${from}`,
        value: again.startMs,
      },
      {
        name: `start memory with ${devices} devices, from ${from}`,
        value: memory,
        unit: "MB",
        limit: isDevice ? "<= 130" : null,
        gated: isDevice,
        how: `PSS of ${how}, 5 s after the last was announced`,
      },
    ];
  } finally {
    folder.remove();
  }
}
