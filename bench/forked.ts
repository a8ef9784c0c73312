import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/**
 * Starts a program of this folder in a process of its own. It reports by messages.
 * @param program the name of its file, such as `relay-hub.child.ts`
 */
export function forked(program: string, ...args: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, program), args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}
