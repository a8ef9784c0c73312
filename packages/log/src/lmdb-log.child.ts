/*
 * The child process of the tests of the durable log. Usage: `<mode> <folder> [seed of append | yes or no, the
 * journal of fill]`. It writes synchronously, so that each line is out before the next step.
 */
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Commit } from "@ledge/model";
import { type EventLog, LogError } from "./event-log.ts";
import { openLmdbLog } from "./lmdb-log.ts";

const [mode, folder = "", parameter = "1"] = process.argv.slice(2);

/**
 * Returns the commit of a timestamp. Its content follows from the timestamp, so that a reader can recognise a
 * wrong one.
 */
export function commitAt(timestamp: number): Commit {
  const id = `device-${timestamp % 97}`;
  const length = (timestamp * 7919) % 400;
  const event = {
    type: "Noted",
    id,
    version: 1,
    origin: "device",
    depth: 0,
    text: "x".repeat(length),
  } as const;
  return { timestamp, events: [event] };
}

const say = (line: string): number => writeSync(1, `${line}\n`);

/** Appends forever, in overlapping batches of random size, and prints each acknowledged timestamp. */
async function append(): Promise<void> {
  const log = await openLmdbLog({ folder });
  let state = Number(parameter);
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  let timestamp = log.last;
  for (;;) {
    const batch = Array.from({ length: 1 + random(40) }, async () => {
      const commit = commitAt((timestamp += 1));
      await log.append(commit);
      say(String(commit.timestamp));
    });
    if (random(3) > 0) await Promise.race([batch[0], setTimeout(random(3))]);
    else await Promise.all(batch);
  }
}

/** Whether an event stays in the compactions of the tests. */
export const stays = (timestamp: number): boolean => timestamp % 5 === 0;

/** Appends like `append` and compacts all the while. Prints `horizon <timestamp>` after each compaction. */
async function compact(): Promise<void> {
  const log = await openLmdbLog({ folder });
  const pause = (): Promise<void> => setTimeout(0);
  const appending = async (): Promise<void> => {
    for (let timestamp = log.last + 1; ; timestamp++) {
      await log.append(commitAt(timestamp));
      say(String(timestamp));
    }
  };
  const compacting = async (): Promise<void> => {
    for (;;) {
      await pause();
      const horizon = await log.boundary(log.last, 200_000, pause);
      if (horizon === log.horizon) continue;
      const base = { timestamp: horizon, format: "x", rows: [horizon, "x".repeat(horizon % 200_000)] };
      await log.compact({ horizon, keep: stays, base, pause });
      say(`horizon ${horizon}`);
    }
  };
  await Promise.all([appending(), compacting()]);
}

/** Reads the log five times. Prints the last timestamp each time, or what is wrong. */
async function read(): Promise<void> {
  const log = await openLmdbLog({ folder, readOnly: true });
  for (let i = 0; i < 5; i++) {
    const commits = [...log.read()];
    const [damage] = log.verify().damage;
    say(damage === undefined ? String(commits.at(-1)?.timestamp) : damage.problem);
    await setTimeout(20);
  }
  await log.close();
}

/** Fills a disk fast: the longest event, many times. */
const fillings = Array.from({ length: 60 }, () => commitAt(321).events).flat();

/** Returns how many commits can be read, or why none can. */
function readableIn(log: EventLog): number | string {
  try {
    return [...log.read()].length;
  } catch (error) {
    return (error as LogError).code;
  }
}

/**
 * Appends until an append fails and prints the last acknowledged timestamp, then the codes of three failures,
 * then what can be read.
 */
async function fill(): Promise<void> {
  const log = await openLmdbLog({ folder, journal: parameter === "yes" });
  let acknowledged = 0;
  const codes: string[] = [];
  while (codes.length < 2) {
    const next = [1, 2].map((i) => ({ ...commitAt(acknowledged + i), events: fillings }));
    const batch = next.map((commit) => log.append(commit));
    for (const outcome of await Promise.allSettled(batch)) {
      if (outcome.status === "fulfilled") acknowledged += 1;
      else codes.push(outcome.reason instanceof LogError ? outcome.reason.code : String(outcome.reason));
    }
    say(String(acknowledged));
  }
  const snapshot = { timestamp: log.last, format: "x", rows: [1] };
  await log.saveSnapshot(snapshot).catch((error: LogError) => codes.push(error.code));
  const readable = readableIn(log);
  await log.close();
  say(JSON.stringify({ codes, readable }));
}

/** Compacts with a base too large for the disk. Prints the code of the error. */
async function compactTooMuch(): Promise<void> {
  const log = await openLmdbLog({ folder, journal: parameter === "yes" });
  for (let timestamp = 1; timestamp <= 40; timestamp++) {
    await log.append({ ...commitAt(timestamp), events: fillings });
    if (timestamp % 10 === 0) await log.saveSnapshot({ timestamp, format: "x", rows: [1] });
  }
  const pause = (): Promise<void> => setTimeout(0);
  const horizon = await log.boundary(30, Number.MAX_SAFE_INTEGER, pause);
  const rows = Array.from({ length: 300 }, () => "x".repeat(65_536));
  const options = { horizon, keep: stays, base: { timestamp: horizon, format: "x", rows }, pause };
  const code = await log.compact(options).then(
    () => "none",
    (error: LogError) => error.code,
  );
  say(code);
  await log.close();
}

if (import.meta.main) {
  if (mode === "compact too much") await compactTooMuch();
  if (mode === "append") await append();
  if (mode === "compact") await compact();
  if (mode === "read") await read();
  if (mode === "fill") await fill();
}
