// Preloaded into a hub: prints when a command is handed to an adapter's process, on the clock that all
// processes of a machine share (ns).
import processes, { type ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

type Fork = (...args: unknown[]) => ChildProcess;

const exported = processes as unknown as { fork: Fork };
const { fork } = exported;

exported.fork = (...args) => {
  const child = fork(...args);
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean;
  const stamped = (...sent: unknown[]): boolean => {
    if (JSON.stringify(sent[0])?.includes('"type":"send"')) {
      process.stderr.write(`handed ${process.hrtime.bigint()}\n`);
    }
    return send(...sent);
  };
  child.send = stamped;
  return child;
};
syncBuiltinESMExports();
