// The past: what the history index takes, what a query of it takes, and whether polls feel that it is written.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketConsole } from "@ledge/host/cli/client";
import { indexLog, openHistoryIndex, overview, type Progress } from "@ledge/history";
import { openLmdbLog } from "@ledge/log";
import type { Commit, LoggedEvent } from "@ledge/model";
import { aggregates } from "@ledge/model";
import type { Figure } from "./figure.ts";
import { HubFolder } from "./hub-process.ts";
import { interleavedMinima, quantile } from "./rounds.ts";

const samples = 5_000_000;
const yearMs = 31_536_000_000;
const dayMs = 86_400_000;
const points = 300;
const commitEvents = 500;
const loggedEvents = 200_000;
const devices = 200;
const polls = 400;
const rounds = 4;

export async function pastFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    return [...(await queries(join(folder, "many"))), ...(await indexing(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const told = { limit: null, gated: false } as const;

async function queries(folder: string): Promise<Figure[]> {
  const began = performance.now();
  const { usedBytes } = await indexInto(folder, {
    last: yearMs,
    horizon: 0,
    readSealed: (after = 0) => (after === 0 ? year() : [][Symbol.iterator]()),
  });
  const indexedMs = performance.now() - began;
  const query = (from: number, to: number, isWalked: boolean): number => {
    const index = openHistoryIndex(folder);
    const series = {
      before: index.before("a", "temperature", from),
      chunks: [...index.chunks("a", "temperature", from, to)].map((chunk) => ({
        ...chunk,
        isWhole: chunk.isWhole && !isWalked,
      })),
      tail: [],
    };
    const found = overview(series, { from, to, until: to, points }, () => {});
    void index.close();
    return found.points.length;
  };
  const best = await interleavedMinima(
    {
      year: () => query(0, yearMs, false),
      day: () => query(yearMs - dayMs, yearMs, false),
      walked: () => query(0, yearMs, true),
    },
    2,
  );
  const how = `${samples} numbers of one device within a year, in ${points} points; interleaved minima`;
  return [
    { name: "past history of a year", value: best.year / 1e6, unit: "ms", ...told, how },
    { name: "past history of a day", value: best.day / 1e6, unit: "ms", ...told, how },
    { name: "past history, a walk per year", value: best.walked / best.year, unit: "x", ...told, how },
    { name: "past index, per number", value: usedBytes / samples, unit: "bytes", ...told, how },
    {
      name: "past index, numbers taken",
      value: (samples / indexedMs) * 1000,
      unit: "/s",
      ...told,
      how: "events at hand, nothing read or parsed",
    },
  ];
}

function* year(): Generator<Commit> {
  const step = Math.floor(yearMs / samples);
  for (let i = 1; i <= samples; i++)
    yield { timestamp: i * step, events: [reported("a", { temperature: 20 + Math.sin(i / 5000) })] };
}

function reported(id: string, attributes: Readonly<Record<string, unknown>>): LoggedEvent {
  const event = {
    type: "DeviceReported",
    id,
    version: 1,
    origin: "device" as const,
    depth: 0,
    attributes,
    at: 0,
  };
  return event;
}

function indexInto(folder: string, log: Parameters<typeof indexLog>[0]["log"]): Promise<Progress> {
  return indexLog({
    log,
    folder,
    aggregates,
    quotaBytes: 2 ** 40,
    free: () => 2 ** 40,
    verify: false,
    onRebuild: () => {},
    onProgress: () => {},
  });
}

async function indexing(folder: string): Promise<Figure[]> {
  const logFolder = join(folder, "log");
  const log = await openLmdbLog({ folder: logFolder });
  for (let timestamp = 1; timestamp <= loggedEvents / commitEvents; timestamp++) {
    const events = Array.from({ length: commitEvents }, (_, i) =>
      reported(`device-${(timestamp * commitEvents + i) % devices}`, { temperature: timestamp + i }),
    );
    await log.append({ timestamp: timestamp * 1000, events });
  }
  await log.close();
  const read = await openLmdbLog({ folder: logFolder, readOnly: true });
  const began = performance.now();
  await indexInto(join(folder, "history"), read);
  const tookMs = performance.now() - began;
  await read.close();
  const how = `${loggedEvents} events of ${devices} devices in a log on disk, one run`;
  return [
    { name: "past index, events of a log", value: (loggedEvents / tookMs) * 1000, unit: "/s", ...told, how },
    await disturbance(folder, logFolder),
  ];
}

async function disturbance(folder: string, logFolder: string): Promise<Figure> {
  const hubFolder = new HubFolder({ sim: { devices: 100, seed: 1 } });
  const hub = await hubFolder.start();
  try {
    const key = await hub.key();
    await hub.devices(100, key);
    const quiet: number[] = [];
    const disturbed: number[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await pollTimes(hubFolder.data)));
      const busy = new Indexing(logFolder, join(folder, `busy-${round}`));
      disturbed.push(...(await pollTimes(hubFolder.data)));
      await busy.stop();
    }
    return {
      name: "past poll p99, indexing per none",
      value: quantile(disturbed, 0.99) / quantile(quiet, 0.99),
      unit: "x",
      ...told,
      how: `${rounds} rounds of ${polls} polls each, taking turns; ${quantile(quiet, 0.99).toFixed(2)} ms without`,
    };
  } finally {
    await hub.stop();
    hubFolder.remove();
  }
}

/** Of full polls (ms), by the console: nobody counts how often that asks. */
async function pollTimes(data: string): Promise<number[]> {
  const console = socketConsole(data);
  const times: number[] = [];
  for (let i = 0; i < polls; i++) {
    const began = performance.now();
    const { status } = await console.call("GET", "/cc/1.14/hub/poll?ts=0");
    if (status !== 200) throw new Error(`a poll is answered ${status}`);
    times.push(performance.now() - began);
  }
  return times;
}

/** Indexes a log over and over, as the hub has it done. */
class Indexing {
  readonly #logFolder: string;
  readonly #folder: string;
  #child: ReturnType<typeof fork>;
  #isStopped = false;

  constructor(logFolder: string, folder: string) {
    this.#logFolder = logFolder;
    this.#folder = folder;
    this.#child = this.#start();
  }

  #start(): ReturnType<typeof fork> {
    rmSync(this.#folder, { recursive: true, force: true });
    const job = { logFolder: this.#logFolder, folder: this.#folder, quotaBytes: 2 ** 40, verify: false };
    const entry = join(import.meta.dirname, "..", "packages", "hub", "src", "history", "history-child.ts");
    const child = fork(entry, [JSON.stringify(job)], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    child.once("exit", () => {
      if (!this.#isStopped) this.#child = this.#start();
    });
    return child;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}
