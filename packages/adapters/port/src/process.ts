import type { ChildProcess } from "node:child_process";
import type { Adapter } from "./adapter.ts";
import type { AdapterChannel, Channel, HubChannel } from "./channel.ts";
import type { FromAdapter, ToAdapter } from "./messages.ts";
import { serveAdapter } from "./serve.ts";

/** How long the last log line of a dying process may take to leave it. */
const lastWordsMs = 500;

/**
 * Makes this process an adapter: serves the hub that forked it, and ends when the hub ends or lets go of it.
 * An exception that nothing catches is logged at the hub and ends the process with code 1.
 */
export function runAdapter(create: () => Adapter): void {
  const channel = parentChannel();
  process.on("uncaughtException", (error) => dieOf(error));
  // The hub stops its adapters itself; a Ctrl-C that reaches the whole group must not be taken for a crash.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  serveAdapter(create, channel, { ended: () => process.exit(0) });
}

function dieOf(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const last: FromAdapter = {
    type: "log",
    level: "error",
    message: `the adapter broke: ${message}`,
    fields: { stack: stack ?? null },
  };
  setTimeout(() => process.exit(1), lastWordsMs);
  if (process.send) process.send(last, () => process.exit(1));
  else process.exit(1);
}

/** The line to the process that forked this one. */
function parentChannel(): AdapterChannel {
  if (!process.send) throw new Error("an adapter process is forked by a hub");
  return ipcChannel<FromAdapter, ToAdapter>(process as Ipc);
}

/** The line to a forked process, which must have been forked with `serialization: 'advanced'`. */
export function childChannel(child: ChildProcess): HubChannel {
  return ipcChannel<ToAdapter, FromAdapter>(child);
}

/** What a forked process and its parent see of each other. */
interface Ipc {
  readonly connected: boolean;
  send(message: object, callback: (error: Error | null) => void): boolean;
  disconnect(): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

function ipcChannel<Out extends object, In>(ipc: Ipc): Channel<Out, In> {
  return {
    post(message) {
      // Without a callback a message to a process that has just died would raise an error event.
      if (ipc.connected) ipc.send(message, () => {});
    },
    open(receiver) {
      ipc.on("message", (message) => receiver.message(message as In));
      if (ipc.connected) ipc.once("disconnect", () => receiver.closed());
      else queueMicrotask(() => receiver.closed());
    },
    close() {
      if (ipc.connected) ipc.disconnect();
    },
  };
}
