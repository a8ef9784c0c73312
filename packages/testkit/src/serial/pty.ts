import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { serveStick, type PluggableStick, type ServedStick } from "./serve.ts";

const quietMs = 100;

/** A stick at a serial port of this machine. */
export type SerialStick<Kind extends PluggableStick> = Omit<ServedStick<Kind>, "port" | "unplugMidFrame">;

/**
 * Serves a stick at a pseudo terminal made by socat. Its path stays the same when it is unplugged and plugged in
 * again. Hosts in this process notice when it is pulled out; a host in another process may only notice that no
 * data arrives.
 */
export async function servePty<Kind extends PluggableStick>(stick: Kind): Promise<SerialStick<Kind>> {
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

/** @returns a function that removes the terminal. */
async function plugIn(path: string, port: number): Promise<() => Promise<void>> {
  const child = spawn("socat", [`pty,raw,echo=0,link=${path}`, `TCP:127.0.0.1:${port}`], { stdio: "ignore" });
  const exited = once(child, "exit");
  while (!existsSync(path)) {
    if (child.exitCode !== null) throw new Error("socat has ended");
    await sleep(5);
  }
  // socat ends when everybody has closed the terminal, so keep it open until the stick is pulled out.
  const held = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  let isIn = true;
  return async () => {
    if (!isIn) return;
    isIn = false;
    // The serial library loops forever when the line hangs up during a read. By now it has read what was sent.
    await sleep(quietMs);
    // socat removes its link on SIGTERM, but not when killed.
    child.kill("SIGTERM");
    standStillUntilEnded(child.pid ?? 0);
    await exited;
    closeSync(held);
  };
}

/**
 * A terminal hangs up in two steps. A reader in between gets no error and nothing to read, forever. A real stick
 * has no such step, so this blocks the process until it is over.
 */
function standStillUntilEnded(pid: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isOver(pid)) Atomics.wait(pause, 0, 0, 1);
}

/** Whether a process has ended. A zombie has ended too: its files are closed. */
function isOver(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") ?? true;
  } catch {
    return true;
  }
}
