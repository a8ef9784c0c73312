import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants, closeSync, existsSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./slave.py", import.meta.url));

/** A pymodbus slave in a process of its own: see slave.py. */
export interface PeerSlave {
  /** Its TCP port, or its serial path. */
  readonly where: string;
  /** `UNIT TABLE REGISTER VALUE` of each value written to it, in order. */
  readonly written: string[];
  /** Sends an instruction. Resolves when the slave has accepted it. */
  readonly tell: (line: string) => Promise<void>;
  readonly kill: () => Promise<void>;
}

export async function startPeer(transport: "tcp" | "rtu" | "rtuOverTcp", where: string): Promise<PeerSlave> {
  // Debian's Python by its full path: another may come first in PATH.
  const child = spawn("/usr/bin/python3", [program, transport, where], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (text: Buffer) => (complaint += text.toString()));
  const written: string[] = [];
  const ready = Promise.withResolvers<string>();
  const told: (() => void)[] = [];
  // All output has been read only when the pipes are closed.
  const exited = once(child, "close");
  child.stdin.on("error", () => {});
  const failed = exited.then(() => Promise.reject(new Error(`the slave has ended: ${complaint.trim()}`)));
  failed.catch(ready.reject);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word, ...rest] = line.split(" ");
    if (word === "ready") ready.resolve(rest[0] ?? "");
    if (word === "done") told.shift()?.();
    if (word === "wrote") written.push(rest.join(" "));
  });
  return {
    where: await ready.promise,
    written,
    tell: async (line) => {
      const done = new Promise<void>((resolve) => void told.push(resolve));
      child.stdin.write(`${line}\n`);
      await Promise.race([done, failed]);
    },
    kill: () => end(child, exited),
  };
}

/** Two serial ports joined by a cable, made with socat. */
export interface Cable {
  readonly near: string;
  readonly far: string;
  /** Sends bytes to the near end, like noise. */
  readonly inject: (bytes: Uint8Array) => void;
  /** Removes both ports. */
  readonly unplug: () => Promise<void>;
  readonly plug: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export async function startCable(): Promise<Cable> {
  const folder = await mkdtemp(join(tmpdir(), "ledge-modbus-"));
  const near = join(folder, "near");
  const far = join(folder, "far");
  let unplug = async (): Promise<void> => {};
  let held: number[] = [];
  const plug = async (): Promise<void> => {
    const child = spawn("socat", [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`], {
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    while (!existsSync(near) || !existsSync(far)) {
      if (child.exitCode !== null) throw new Error("socat has ended");
      await sleep(5);
    }
    // socat ends when every process has closed one of the ends, so the test keeps both open.
    held = [near, far].map((path) =>
      openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK),
    );
    unplug = async () => {
      await end(child, exited);
      for (const handle of held) closeSync(handle);
      held = [];
    };
  };
  await plug();
  return {
    near,
    far,
    inject: (bytes) => {
      const [, handle] = held;
      if (handle !== undefined) writeSync(handle, bytes);
    },
    unplug: () => unplug(),
    plug,
    dispose: async () => {
      if (held.length > 0) await unplug();
      await rm(folder, { recursive: true });
    },
  };
}

/** socat removes its links on SIGTERM, but not when it is killed. */
async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}
