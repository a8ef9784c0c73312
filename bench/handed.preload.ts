// Preloaded into a hub: prints when a brightness is handed to an adapter's process, on the clock that all
// processes of a machine share (ns).
import processes, { type ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import type { Writable } from "node:stream";

type Spawn = (...args: unknown[]) => ChildProcess;

/** The descriptor of the line to an adapter's process. */
const lineDescriptor = 3;

const exported = processes as unknown as { spawn: Spawn };
const { spawn } = exported;

exported.spawn = (...args) => {
  const child = spawn(...args);
  const line = child.stdio[lineDescriptor] as Writable | undefined;
  if (!line) return child;
  const write = line.write.bind(line) as (...written: unknown[]) => boolean;
  line.write = (...written: unknown[]): boolean => {
    const text = String(written[0]);
    const [, level] = (text.includes('"type":"send"') && /"brightness":([\d.]+)/.exec(text)) || [];
    if (level !== undefined) process.stderr.write(`handed ${process.hrtime.bigint()} ${level}\n`);
    return write(...written);
  };
  return child;
};
syncBuiltinESMExports();
