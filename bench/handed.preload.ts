// Preloaded into a hub: prints when a command's frame is handed to an adapter's process, on the clock that all
// processes of a machine share (ns).
import { ChildProcess } from "node:child_process";

interface Sending {
  send(this: ChildProcess, message: unknown, ...rest: unknown[]): boolean;
}

const prototype = ChildProcess.prototype as unknown as Sending;
const { send } = prototype;
prototype.send = function stamped(message, ...rest) {
  if (JSON.stringify(message)?.includes('"set"')) process.stderr.write(`handed ${process.hrtime.bigint()}\n`);
  return send.call(this, message, ...rest);
};
