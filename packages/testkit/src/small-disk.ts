import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk in memory that is small enough to be filled. Needs root. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), "ledge-disk-"));

  /** @param owner who may write there (default: root) */
  constructor(megabytes: number, owner: { readonly uid: number; readonly gid: number } = { uid: 0, gid: 0 }) {
    const options = `size=${megabytes}m,mode=700,uid=${owner.uid},gid=${owner.gid}`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "ledge-disk", this.path]);
  }

  get #filler(): string {
    return join(this.path, "filler");
  }

  /** Takes all the room that is left. */
  fill(): void {
    const file = openSync(this.#filler, "w");
    try {
      for (;;) writeSync(file, Buffer.alloc(65_536));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives the room back. */
  free(): void {
    rmSync(this.#filler);
  }

  remove(): void {
    execFileSync("umount", [this.path]);
    rmSync(this.path, { recursive: true });
  }
}
