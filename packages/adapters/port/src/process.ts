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

/** How long a dying process may take to write its last log line. */
const lastWordsMs = 500;

/** The file descriptor of the line to the hub in an adapter's process. */
export const lineDescriptor = 3;

/**
 * Byte limit of a message from the hub. The largest, `start`, carries every value that the adapter has
 * stored.
 */
const fromHubBytes = 2 ** 31;

/** What Node's `--permission` lets a process do. A path includes everything below it. */
export interface Confinement {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Whether it may load native code, which `--permission` does not restrict. */
  readonly addons: boolean;
  /** Whether it may run programs, which are not confined. */
  readonly programs?: boolean;
}

/** An adapter idles most of the time: its heap stays small rather than fast, as the hub's does (docs/adr/0014). */
const smallHeap = [
  "--semi-space-growth-factor=1",
  "--heap-growing-percent=30",
  "--optimize-for-size",
] as const;

export interface ProcessOptions {
  /** Heap limit of its JavaScript in MB; V8 ends the process beyond it. */
  readonly heapMb?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** By default it has the permissions of this process. */
  readonly confinement?: Confinement;
  /** By default the Node of this process. */
  readonly execPath?: string;
}

/**
 * Starts a process that runs `entry`, which calls `runAdapter`. It never outlives this process. The caller
 * must read its output.
 */
export function startAdapterProcess(
  entry: URL,
  args: readonly string[] = [],
  { heapMb, env, confinement, execPath = process.execPath }: ProcessOptions = {},
): ChildProcess {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`, ...smallHeap];
  const bounds = confinement === undefined ? [] : flagsOf(confinement);
  return spawn(...tied(execPath, [...heap, ...bounds, fileURLToPath(entry), ...args]), {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    ...(env && { env }),
  });
}

function flagsOf({ read, write, addons, programs = false }: Confinement): string[] {
  return [
    "--permission",
    // Otherwise another adapter could start its debugger.
    "--disable-sigusr1",
    ...read.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(addons ? ["--allow-addons"] : []),
    ...(programs ? ["--allow-child-process"] : []),
    // Node prints a warning about either at every start.
    ...(addons || programs ? ["--disable-warning=SecurityWarning"] : []),
  ];
}

/** Returns the line to a process that `startAdapterProcess` started. */
export function childChannel(child: ChildProcess): HubChannel {
  return pipeChannel<ToAdapter, FromAdapter>(
    child.stdio[lineDescriptor] as Duplex,
    limits.adapterMessageBytes,
  );
}

/**
 * Makes this process an adapter: serves the hub that started it, and exits when the hub ends or closes the
 * line. An uncaught exception is logged at the hub and ends the process with code 1.
 */
export function runAdapter(create: () => Adapter): void {
  const pipe = new Socket({ fd: lineDescriptor, readable: true, writable: true });
  const channel: AdapterChannel = pipeChannel<FromAdapter, ToAdapter>(pipe, fromHubBytes);
  process.on("uncaughtException", (error) => dieOf(error, pipe));
  // The hub stops its adapters itself; a Ctrl-C for the whole process group must not look like a crash.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  serveAdapter(create, channel, { ended: () => process.exit(0) });
}

function dieOf(error: unknown, pipe: Socket): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const last: FromAdapter = {
    type: "log",
    level: "error",
    message: `the adapter failed: ${message}`,
    fields: { stack: stack ?? null },
  };
  setTimeout(() => process.exit(1), lastWordsMs);
  if (pipe.writable) pipe.write(pipeFrame(last), () => process.exit(1));
  else process.exit(1);
}
