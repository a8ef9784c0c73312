import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WriteLog } from "./write-log.ts";

const megabytes = 256;

/**
 * A disk of this machine with a new ext4, all writes of which QEMU records. Needs root, a loop device, FUSE and
 * qemu-storage-daemon.
 */
export class RecordedDisk {
  /** Where its file system is mounted. */
  readonly mounted: string;
  /** File of the record. */
  readonly record: string;
  readonly length: number = megabytes * 1_048_576;
  readonly #file: string;
  readonly #daemon: ChildProcess;
  #loop = "";

  private constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.mounted = join(folder, "mounted");
    this.record = join(folder, "writes");
    this.#file = join(folder, "exported");
    const disk = join(folder, "disk");
    mkdirSync(this.mounted);
    for (const path of [disk, this.record, this.#file]) writeFileSync(path, "");
    truncateSync(disk, this.length);
    const filter = `driver=blklogwrites,node-name=disk,file.driver=file,file.filename=${disk}`;
    const log = `log.driver=file,log.filename=${this.record}`;
    const fuse = `type=fuse,id=disk,node-name=disk,mountpoint=${this.#file},writable=on`;
    this.#daemon = spawn("qemu-storage-daemon", ["--blockdev", `${filter},${log}`, "--export", fuse], {
      stdio: "inherit",
    });
  }

  /** @param folder for its files; it must be empty */
  static async mount(folder: string): Promise<RecordedDisk> {
    const disk = new RecordedDisk(folder);
    try {
      await disk.#open();
      return disk;
    } catch (error) {
      await disk.remove();
      throw error;
    }
  }

  async #open(): Promise<void> {
    // The file is empty until the daemon serves it.
    for (let tries = 0; sizeOf(this.#file) !== this.length; tries++) {
      if (tries === 300) throw new Error("qemu-storage-daemon exports no disk");
      await sleep(100);
    }
    this.#loop = execFileSync("losetup", ["--find", "--show", this.#file]).toString().trim();
    execFileSync("mke2fs", ["-q", "-t", "ext4", this.#loop]);
    execFileSync("mount", ["-o", "noatime", this.#loop, this.mounted]);
    // Its head is there after the first flush.
    new WriteLog(this.record).close();
  }

  /** Unmounts it. What is left to write goes into the record, too. */
  async remove(): Promise<void> {
    await undone("umount", this.mounted);
    await undone("losetup", "--detach", this.#loop);
    await undone("umount", this.#file);
    if (this.#daemon.exitCode !== null) return;
    const ended = once(this.#daemon, "close");
    this.#daemon.kill();
    await ended;
  }
}

/** Runs a program until it succeeds: a process that was just killed may still hold a file. */
async function undone(program: "losetup" | "umount", ...args: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
    if (status === 0 || !stderr.includes("busy")) return;
    await sleep(200);
  }
}

function sizeOf(path: string): number {
  return Number(execFileSync("stat", ["--format=%s", path]).toString());
}
