import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { devices, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import { type Random, seeded } from "../crash/random.ts";
import { answered, choose, Client, codeOf, pair, plug } from "./client.ts";
import type { Answer, Question } from "./cut-check.child.ts";
import { CutDisk, type Partition, partitionNamed } from "./cut-disk.ts";
import type { ImageFiles } from "./image.ts";
import { kept, lied, widestCuts } from "./power-cut.ts";
import { VirtualMachine } from "./qemu.ts";
import { type Entry, WriteLog } from "./write-log.ts";

/** Cuts of the negative control, and among how many of the newest entries its disk loses half of the writes. */
const [controlCuts, controlEntries] = [14, 60];

/** A change that a client was told is done, when the log of writes had so many entries. */
interface Acknowledged {
  readonly name: string;
  readonly entries: number;
}

export interface CutOptions {
  readonly cuts: number;
  readonly loadSeconds: number;
  readonly seed: string;
}

export interface CutResult {
  readonly cuts: number;
  /** Acknowledged changes, and entries of the record of writes. */
  readonly acknowledged: number;
  readonly entries: number;
  /** Unflushed writes at a cut: the median and the most. */
  readonly unflushed: { readonly median: number; readonly most: number };
  /** Cuts after which e2fsck had something to mend, if only by replaying its journal, or could not. */
  readonly repaired: number;
  readonly unrepaired: number;
  /** Cuts after which an acknowledged change was gone, and after which a log was damaged or did not open. */
  readonly lost: number;
  readonly damaged: number;
  /** Of `controlCuts` disks that lied about flushes, those on which it shows. */
  readonly controlCaught: number;
}

/**
 * Runs a new image under load on a disk that records its writes, and cuts its power at many places of the record.
 * @param files the image; its disk is written to
 * @param folder for the record and the console
 * @throws AssertionError with the seed when a cut has cost something, or the control shows nothing
 */
export async function tryCuts(files: ImageFiles, folder: string, options: CutOptions): Promise<CutResult> {
  const partition = partitionNamed(files.disk, "data");
  const path = join(folder, "writes");
  const acknowledged = await load(files, folder, path, options.loadSeconds);
  return await cutRecord({ path, partition, home: "/lib/ledge", acknowledged }, folder, options);
}

/** What a machine wrote to a disk, and what its clients were told meanwhile. */
export interface Recorded {
  /** The record of writes. */
  readonly path: string;
  readonly partition: Partition;
  /** The hub's data in the file system. */
  readonly home: string;
  readonly acknowledged: readonly Acknowledged[];
}

/** Cuts the power at many places of a record. Otherwise as `tryCuts`. */
export async function cutRecord(
  { path, partition, home, acknowledged }: Recorded,
  folder: string,
  options: Omit<CutOptions, "loadSeconds">,
): Promise<CutResult> {
  const log = new WriteLog(path);
  const checker = new Checker();
  try {
    const random = seeded(options.seed);
    const entries = [...log.entries()];
    const from = acknowledged[0]?.entries ?? 0;
    const cuts = widestCuts(entries, from, options.cuts, random);
    const namesAt = (count: number): string[] =>
      acknowledged.filter((one) => one.entries <= count).map(({ name }) => name);
    const disk = new CutDisk(log, entries, partition, join(folder, "cuts"));
    const found = { repaired: 0, unrepaired: 0, lost: 0, damaged: 0 };
    const failures: string[] = [];
    for (const cut of cuts) {
      const { folder: left, fsck } = disk.leave(kept(disk.goTo(cut.entries), random), home);
      const answer = await checker.ask({
        folder: join(left, basename(home), "log"),
        names: namesAt(cut.entries),
      });
      if (fsck === 1) found.repaired++;
      else if (fsck !== 0) found.unrepaired++;
      if (!answer.opened || answer.damage > 0) found.damaged++;
      else if (answer.lost.length > 0) found.lost++;
      else continue;
      failures.push(`${JSON.stringify(cut)}: ${JSON.stringify(answer)}`);
    }
    const liar = new CutDisk(log, entries, partition, join(folder, "lies"));
    const controlCaught = await control(liar, { home, entries, from, namesAt, checker, random });
    const widths = cuts.map(({ unflushed }) => unflushed).toSorted((a, b) => a - b);
    const result = {
      cuts: cuts.length,
      acknowledged: acknowledged.length,
      entries: entries.length,
      unflushed: { median: widths[widths.length >> 1] ?? 0, most: widths.at(-1) ?? 0 },
      ...found,
      controlCaught,
    };
    assert.deepEqual(failures.slice(0, 5), [], `seed ${options.seed}: ${JSON.stringify(result)}`);
    assert.equal(cuts.length, options.cuts, "there are windows to cut in");
    assert.ok(controlCaught > 0, "a disk that lies about flushes is noticed");
    return result;
  } finally {
    checker.end();
    log.close();
  }
}

/** Claims a new hub, pairs a lamp, and changes what the log keeps, until the time is over; then the power is cut. */
async function load(
  files: ImageFiles,
  folder: string,
  writes: string,
  seconds: number,
): Promise<readonly Acknowledged[]> {
  const air = new SimulatedAir();
  const lamp = devices.lamp("0x000b57fffe000001");
  air.add(lamp);
  const machine = await VirtualMachine.start(files, join(folder, "load.console"), { writes });
  try {
    await answered(machine);
    const client = new Client(machine.apiPort);
    await client.claim(await codeOf(machine));
    const record = new WriteLog(writes);
    await plug(machine, new Stick({ air }));
    await choose(machine, client);
    const id = await pair(machine, client, () => air.join(lamp.ieee));
    const acknowledged = await changes(client, id, record, seconds);
    record.close();
    return acknowledged;
  } finally {
    await machine.cutPower();
  }
}

/**
 * Changes rooms and switches a device until the time is over.
 * @param lamp its id
 * @returns what was acknowledged, in order
 */
export async function changes(
  client: Client,
  lamp: string | undefined,
  record: WriteLog,
  seconds: number,
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const end = performance.now() + seconds * 1000;
  let number = 0;
  const acknowledge = (...names: readonly string[]): void => {
    const { count } = record;
    acknowledged.push(...names.map((name) => ({ name, entries: count })));
  };
  const renaming = async (rooms: number, pauseMs: number): Promise<void> => {
    const name = (): string => `cut ${number++}`;
    const first = Array.from({ length: rooms }, name);
    await client.call(
      "PUT",
      "/rooms",
      first.map((one) => ({ type: "CMD_ROOM", name: one })),
    );
    acknowledge(...first);
    const all = await client.call<Record<string, { id: string; name: string }>>("GET", "/rooms");
    const ids = Object.values(all).flatMap((room) => (first.includes(room.name) ? [room.id] : []));
    while (performance.now() < end) {
      const names = ids.map(name);
      const rename = ids.map((room, index) => ({ type: "CMD_ROOM", id: room, name: names[index] }));
      await client.call("PUT", "/rooms", rename);
      acknowledge(...names);
      await sleep(pauseMs);
    }
  };
  const switching = async (): Promise<void> => {
    if (lamp === undefined) return;
    for (let isOn = true; performance.now() < end; isOn = !isOn) {
      const type = isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF";
      await client.call("PUT", "/devices/command", [{ type, id: lamp }]);
      await sleep(1000);
    }
  };
  // One change in a commit, and as many as make it long; all below the limit of 1,000 commands a minute.
  await Promise.all([renaming(1, 300), renaming(60, 6000), switching()]);
  return acknowledged;
}

/** What a control cuts by. */
interface Lies {
  readonly home: string;
  readonly entries: readonly Entry[];
  readonly from: number;
  readonly namesAt: (entries: number) => string[];
  readonly checker: Checker;
  readonly random: Random;
}

/** @returns how many of the disks that lie about flushes lose something */
async function control(
  disk: CutDisk,
  { home, entries, from, namesAt, checker, random }: Lies,
): Promise<number> {
  let caught = 0;
  for (let turn = 1; turn <= controlCuts; turn++) {
    // Everything up to a flush is acknowledged, and half of the newest writes never reached the disk.
    const end = entries.findLastIndex(
      ({ kind }, index) => kind === "flush" && index <= from + ((entries.length - from) * turn) / controlCuts,
    );
    const begin = Math.max(0, end - controlEntries);
    const older = disk.goTo(begin);
    const newest = entries.slice(begin, end).filter((entry) => entry.kind === "write");
    const { folder } = disk.leave(lied([...older, ...newest], random), home);
    const answer = await checker.ask({
      folder: join(folder, basename(home), "log"),
      names: namesAt(end + 1),
    });
    if (!answer.opened || answer.damage > 0 || answer.lost.length > 0) caught++;
  }
  return caught;
}

/** A process that opens logs; if one ends it, the next question gets a new one. */
class Checker {
  #child: ChildProcess | undefined;

  async ask(question: Question): Promise<Answer> {
    const child = (this.#child ??= fork(join(import.meta.dirname, "cut-check.child.ts")));
    const over = new AbortController();
    try {
      child.send(question);
      return await Promise.race([
        once(child, "message", over).then(([answer]) => answer as Answer),
        once(child, "exit", over).then(([code, signal]): Answer => {
          this.#child = undefined;
          return { opened: false, message: `the process ended with ${String(code ?? signal)}` };
        }),
      ]);
    } finally {
      over.abort();
    }
  }

  end(): void {
    this.#child?.disconnect();
  }
}
