import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = "/sys/fs/cgroup";
const periodUs = 100_000;

/** Gives processes no more than a share of one core, by a control group of their own. Needs root. */
export class CpuShare {
  readonly #group: string;

  /** @param percent of a core */
  constructor(percent: number) {
    const quotaUs = Math.round((periodUs * percent) / 100);
    // Version 1 has a tree for each controller.
    const tree = existsSync(join(root, "cpu")) ? join(root, "cpu") : root;
    this.#group = join(tree, `ledge-fleet-${process.pid}`);
    if (tree === root) writeFileSync(join(root, "cgroup.subtree_control"), "+cpu");
    mkdirSync(this.#group);
    if (tree === root) this.#set("cpu.max", `${quotaUs} ${periodUs}`);
    else {
      this.#set("cpu.cfs_period_us", `${periodUs}`);
      this.#set("cpu.cfs_quota_us", `${quotaUs}`);
    }
  }

  take(pid: number): void {
    this.#set("cgroup.procs", `${pid}`);
  }

  /** Its processes have ended. */
  remove(): void {
    rmdirSync(this.#group);
  }

  #set(name: string, value: string): void {
    writeFileSync(join(this.#group, name), value);
  }
}
