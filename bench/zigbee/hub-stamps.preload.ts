// Preloaded into a hub: stamps requests and what goes to an adapter, and preloads its like into the adapter.
import processes, { type ChildProcess, type SpawnOptions } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import { env } from "node:process";
import type { Writable } from "node:stream";
import { stamp, stampsVariable } from "./stamps.ts";

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** The descriptor of the line to an adapter's process. */
const lineDescriptor = 3;
const preload = new URL("./adapter-stamps.preload.ts", import.meta.url);

subscribe("http.server.request.start", (message) => {
  if ((message as { readonly request: IncomingMessage }).request.method === "PUT") stamp("request");
});

const exported = processes as unknown as { spawn: Spawn };
const { spawn } = exported;

exported.spawn = (command, args, options) => {
  const entry = args.findIndex((arg) => arg.includes("adapter-zigbee"));
  if (entry === -1) return spawn(command, args, options);
  const stamps = env[stampsVariable] ?? "";
  // The process may read and write little (docs/adr/0078).
  const allowed = [`--allow-fs-read=${dirname(preload.pathname)}`, `--allow-fs-write=${stamps}`];
  const preloading = [...allowed, "--import", preload.href];
  const child = spawn(command, args.toSpliced(entry, 0, ...preloading), {
    ...options,
    env: { ...options.env, [stampsVariable]: stamps },
  });
  const line = child.stdio[lineDescriptor] as Writable;
  const write = line.write.bind(line) as (...written: unknown[]) => boolean;
  line.write = (...written: unknown[]): boolean => {
    if (String(written[0]).includes('"type":"send"')) stamp("pipe");
    return write(...written);
  };
  return child;
};
syncBuiltinESMExports();
