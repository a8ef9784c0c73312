import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { limits } from "@ledge/model";
import type { Adapter } from "./adapter.ts";
import type { AdapterChannel, HubChannel } from "./channel.ts";
import type { FromAdapter, ToAdapter } from "./messages.ts";
import { pipeChannel, pipeFrame } from "./pipe.ts";
import { serveAdapter } from "./serve.ts";
import { tied } from "./tied.ts";

/** How long the last log line of a dying process may take to leave it. */
const lastWordsMs = 500;

/** The file descriptor of the line to the hub in an adapter's process. */
export const lineDescriptor = 3;

/** What a hub is asked for in one message, which is all that its adapters keep, at most. */
const fromHubBytes = 2 ** 31;

/** What a process may do of what Node can forbid (`--permission`): paths stand for all below them. */
export interface Confinement {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Whether it may load native code, which nothing holds. */
  readonly addons: boolean;
}

export interface ProcessOptions {
  /** The heap of its JavaScript (MB): beyond it V8 ends the process. */
  readonly heapMb?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Default: it may do what this process may. */
  readonly confinement?: Confinement;
  /** Default: this process's own Node. */
  readonly execPath?: string;
}

/** Starts a process that runs `entry`, which calls `runAdapter`, and never outlives this one. What it prints is there to be read. */
export function startAdapterProcess(
  entry: URL,
  args: readonly string[] = [],
  { heapMb, env, confinement, execPath = process.execPath }: ProcessOptions = {},
): ChildProcess {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const bounds = confinement === undefined ? [] : flagsOf(confinement);
  return spawn(...tied(execPath, [...heap, ...bounds, fileURLToPath(entry), ...args]), {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    ...(env && { env }),
  });
}

function flagsOf({ read, write, addons }: Confinement): string[] {
  return [
    "--permission",
    // Another adapter could otherwise wake its debugger.
    "--disable-sigusr1",
    ...read.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    // Node warns of it at each start.
    ...(addons ? ["--allow-addons", "--disable-warning=SecurityWarning"] : []),
  ];
}

/** The line to a process that `startAdapterProcess` has started. */
export function childChannel(child: ChildProcess): HubChannel {
  return pipeChannel<ToAdapter, FromAdapter>(
    child.stdio[lineDescriptor] as Duplex,
    limits.adapterMessageBytes,
  );
}

/**
 * Makes this process an adapter: serves the hub that started it, and ends when the hub ends or lets go of it.
 * An exception that nothing catches is logged at the hub and ends the process with code 1.
 */
export function runAdapter(create: () => Adapter): void {
  const pipe = new Socket({ fd: lineDescriptor, readable: true, writable: true });
  const channel: AdapterChannel = pipeChannel<FromAdapter, ToAdapter>(pipe, fromHubBytes);
  process.on("uncaughtException", (error) => dieOf(error, pipe));
  // The hub stops its adapters itself; a Ctrl-C that reaches the whole group must not be taken for a crash.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  serveAdapter(create, channel, { ended: () => process.exit(0) });
}

function dieOf(error: unknown, pipe: Socket): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const last: FromAdapter = {
    type: "log",
    level: "error",
    message: `the adapter broke: ${message}`,
    fields: { stack: stack ?? null },
  };
  setTimeout(() => process.exit(1), lastWordsMs);
  if (pipe.writable) pipe.write(pipeFrame(last), () => process.exit(1));
  else process.exit(1);
}
