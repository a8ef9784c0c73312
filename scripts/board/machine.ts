import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What a command said, and how it ended. */
export interface Said {
  readonly code: number;
  readonly out: string;
}

/**
 * A Debian that systemd boots in a container of its own, without a network: systemd is the real one, and so are
 * users, units and packages. Needs root and systemd-nspawn.
 */
export class Machine {
  readonly #folder: string;
  readonly #nspawn: ChildProcess;
  readonly #init: string;

  private constructor(folder: string, nspawn: ChildProcess, init: string) {
    this.#folder = folder;
    this.#nspawn = nspawn;
    this.#init = init;
  }

  /**
   * Unpacks a root file system and boots it.
   * @param base archive of the root file system
   * @param folder for it; it is replaced
   */
  static async boot(base: string, folder: string): Promise<Machine> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["-xf", base, "-C", folder, "--exclude=./dev/*"]);
    const log = openSync(`${folder}.console`, "w");
    const flags = ["--quiet", "--boot", "--private-network", "--register=no", "--keep-unit"];
    const nspawn = spawn("systemd-nspawn", [...flags, "--console=read-only", "--directory", folder], {
      stdio: ["ignore", log, log],
    });
    for (let tries = 0; tries < 600; tries++) {
      const init = childOf(nspawn.pid ?? 0);
      if (init !== undefined) {
        const machine = new Machine(folder, nspawn, init);
        const { out } = machine.run("systemctl", "is-system-running", "--wait");
        if (/running|degraded/.test(out)) return machine;
      }
      if (nspawn.exitCode !== null) break;
      await sleep(100);
    }
    nspawn.kill("SIGKILL");
    throw new Error(`the machine does not boot:\n${readFileSync(`${folder}.console`, "utf8")}`);
  }

  /** The folder that is the machine's root. */
  get root(): string {
    return this.#folder;
  }

  /** Runs a program in the machine as root. */
  run(...command: readonly string[]): Said {
    const namespaces = ["--target", this.#init, "--mount", "--uts", "--ipc", "--net", "--pid"];
    const { status, stdout, stderr } = spawnSync("nsenter", [...namespaces, "--", ...command], {
      encoding: "utf8",
      maxBuffer: 16_777_216,
      env: { PATH: "/usr/sbin:/usr/bin", LANG: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" },
    });
    return { code: status ?? -1, out: `${stdout}${stderr}` };
  }

  /**
   * Runs a program in the machine, and returns what it said.
   * @throws Error with what it said, if it fails
   */
  do(...command: readonly string[]): string {
    const { code, out } = this.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${out}`);
    return out;
  }

  /**
   * Waits until a program in the machine says something that matches.
   * @throws Error with what it said last
   */
  async until(pattern: RegExp, seconds: number, ...command: readonly string[]): Promise<string> {
    let said: Said = { code: -1, out: "" };
    for (let tries = 0; tries < seconds * 4; tries++) {
      said = this.run(...command);
      if (pattern.test(said.out)) return said.out;
      await sleep(250);
    }
    throw new Error(`${command.join(" ")} never said ${String(pattern)}, at last: ${said.out}`);
  }

  /** Ends the machine at once, and removes its files. */
  async remove(): Promise<void> {
    if (this.#nspawn.exitCode === null && this.#nspawn.signalCode === null) {
      const ended = once(this.#nspawn, "close");
      spawnSync("kill", ["-KILL", this.#init]);
      this.#nspawn.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the first child of a process: systemd-nspawn's is the machine's first process. */
function childOf(pid: number): string | undefined {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(join("/proc", name, "stat"), "utf8")) ?? [];
      if (parent === String(pid)) return name;
    } catch {
      // It ended while we read.
    }
  }
  return undefined;
}
