import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Kept } from "./power-cut.ts";
import type { Entry, Write, WriteLog } from "./write-log.ts";

/** Where a partition lies on a disk (bytes). */
export interface Partition {
  readonly at: number;
  readonly length: number;
}

/** Returns where the partition of a name lies. @throws Error when there is none */
export function partitionNamed(disk: string, name: string): Partition {
  const { partitiontable } = JSON.parse(execFileSync("sfdisk", ["--json", disk]).toString()) as {
    partitiontable: { sectorsize: number; partitions: { name: string; start: number; size: number }[] };
  };
  const found = partitiontable.partitions.find((partition) => partition.name === name);
  if (found === undefined) throw new Error(`${disk} has no partition ${name}`);
  const { sectorsize } = partitiontable;
  return { at: found.start * sectorsize, length: found.size * sectorsize };
}

/**
 * A partition that was empty at first, as it becomes by a log of its disk's writes: what is surely on the disk at
 * one place of the log, and what may be there besides.
 */
export class CutDisk {
  readonly #log: WriteLog;
  readonly #partition: Partition;
  readonly #folder: string;
  readonly #durable: string;
  readonly #entries: readonly Entry[];
  #at = 0;
  #unflushed: Write[] = [];

  /** @param folder for its files */
  constructor(log: WriteLog, entries: readonly Entry[], partition: Partition, folder: string) {
    this.#log = log;
    this.#partition = partition;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#durable = join(folder, "durable");
    this.#entries = entries;
    const file = openSync(this.#durable, "w");
    ftruncateSync(file, partition.length);
    closeSync(file);
  }

  /** Goes on, and never back, until so many entries were complete. @returns the writes that no flush follows */
  goTo(entries: number): readonly Write[] {
    const complete: Write[] = [];
    for (const entry of this.#entries.slice(this.#at, entries)) {
      if (entry.kind === "write") this.#unflushed.push(entry);
      else if (entry.kind === "flush") complete.push(...this.#unflushed.splice(0));
    }
    this.#at = entries;
    this.#write(
      this.#durable,
      complete.map((write) => ({ write, length: write.length })),
    );
    return this.#unflushed;
  }

  /**
   * Repairs the file system that a cut leaves, as a boot does, and takes a folder out of it.
   * @param left writes that reached the disk beside those before the last flush
   * @param path the folder in the file system
   * @returns where it is now, and e2fsck's exit code: 0 clean, 1 repaired, above not repaired
   */
  leave(left: readonly Kept[], path: string): { readonly folder: string; readonly fsck: number } {
    const image = join(this.#folder, "cut");
    execFileSync("cp", ["--sparse=always", this.#durable, image]);
    this.#write(image, left);
    // A boot replays the journal first and then looks whether more is wrong; -f always looks at all.
    const { status } = spawnSync("e2fsck", ["-f", "-y", image], { stdio: "ignore" });
    const out = join(this.#folder, "files");
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
    spawnSync("debugfs", ["-R", `rdump ${path} ${out}`, image], { stdio: "ignore" });
    return { folder: out, fsck: status ?? -1 };
  }

  #write(path: string, writes: readonly Kept[]): void {
    const { at: from, length: size } = this.#partition;
    const file = openSync(path, "r+");
    for (const { write, length } of writes) {
      const at = write.at - from;
      // The others are in other partitions.
      if (at >= 0 && at < size) writeSync(file, this.#log.bytes(write), 0, length, at);
    }
    closeSync(file);
  }
}
