import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { type Random, seeded } from "../crash/random.ts";
import type { Answer, Question } from "./cut-check.child.ts";
import { CutDisk, type Partition } from "./cut-disk.ts";
import type { Acknowledged } from "./cut-load.ts";
import { kept, lied, widestCuts } from "./power-cut.ts";
import { type Entry, WriteLog } from "./write-log.ts";

/** Cuts of the negative control, and among how many of the newest entries its disk loses half of the writes. */
const [controlCuts, controlEntries] = [14, 60];

export interface CutOptions {
  readonly cuts: number;
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

/** What a machine wrote to a disk, and what its clients were told meanwhile. */
export interface Recorded {
  /** The record of writes. */
  readonly path: string;
  readonly partition: Partition;
  /** The hub's data in the file system. */
  readonly home: string;
  readonly acknowledged: readonly Acknowledged[];
}

/**
 * Cuts the power at many places of a record.
 * @param folder for the disks that the cuts leave
 * @throws AssertionError with the seed when a cut has cost something, or the control shows nothing
 */
export async function tryCuts(
  { path, partition, home, acknowledged }: Recorded,
  folder: string,
  options: CutOptions,
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
      const isMended = fsck === 0 || fsck === 1;
      if (fsck === 1) found.repaired++;
      if (!isMended) found.unrepaired++;
      const isDamaged = !answer.opened || answer.damage > 0;
      const isLost = answer.opened && answer.lost.length > 0;
      if (isDamaged) found.damaged++;
      else if (isLost) found.lost++;
      // A boot stops at a file system that cannot be repaired.
      if (isDamaged || isLost || !isMended)
        failures.push(`${JSON.stringify(cut)}: e2fsck ${fsck}, ${JSON.stringify(answer)}`);
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
