import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { serveStick, type ServedStick } from "./serve.ts";
import type { Stick } from "./stick.ts";

const quietMs = 100;

/** A stick at a serial port of this machine. */
export type SerialStick = Omit<ServedStick, "port" | "unplugMidFrame">;

/**
 * Serves a stick at a pseudo terminal, made of socat. Its path stays the same from plug to plug. Pulled out it is
 * missed by hosts of this process; one of another process may only find that nothing comes.
 */
export async function servePty(stick: Stick): Promise<SerialStick> {
  const folder = await mkdtemp(join(tmpdir(), "ledge-stick-"));
  const path = join(folder, "tty");
  const served = await serveStick(stick);
  let pull = await plugIn(path, served.port);
  return {
    path,
    get stick() {
      return served.stick;
    },
    async unplug() {
      await pull();
      await served.unplug();
    },
    async plug(other = served.stick) {
      await served.plug(other);
      pull = await plugIn(path, served.port);
    },
    async close() {
      await pull();
      await served.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** @returns takes the terminal away. */
async function plugIn(path: string, port: number): Promise<() => Promise<void>> {
  const child = spawn("socat", [`pty,raw,echo=0,link=${path}`, `TCP:127.0.0.1:${port}`], { stdio: "ignore" });
  const exited = once(child, "exit");
  while (!existsSync(path)) {
    if (child.exitCode !== null) throw new Error("socat has ended");
    await sleep(5);
  }
  // socat ends when the terminal is closed by all who have it open; so it is held open until the stick is pulled.
  const held = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  let isIn = true;
  return async () => {
    if (!isIn) return;
    isIn = false;
    // The serial library spins for ever where the line hangs up while it reads: what was sent is read by then.
    await sleep(quietMs);
    // It takes its link away when it is asked to end, not when it is killed.
    child.kill("SIGTERM");
    standStillUntilEnded(child.pid ?? 0);
    await exited;
    closeSync(held);
  };
}

/**
 * A terminal hangs up in two steps, and who reads between them is told of no error but of nothing to read, for
 * ever. Where a stick is pulled out that step does not exist, so nobody in this process may see it.
 */
function standStillUntilEnded(pid: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isOver(pid)) Atomics.wait(pause, 0, 0, 1);
}

/** A process that is over and not yet waited for is a zombie: its files are closed. */
function isOver(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") ?? true;
  } catch {
    return true;
  }
}
