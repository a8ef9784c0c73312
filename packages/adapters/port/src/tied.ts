import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

let isAble: boolean | undefined;

/**
 * Returns the command and arguments to start a program so that it never outlives this process: the kernel
 * kills it (SIGKILL) when this process ends, for whatever reason. This needs setpriv of util-linux. Without
 * setpriv the program starts as it is, and must notice by itself that its parent is gone.
 *
 * Call it on the main thread: the kernel watches the thread that starts the program.
 */
export function tied(command: string, args: readonly string[]): [command: string, args: string[]] {
  isAble ??= spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0;
  // setpriv would start, then fail with its own exit code: run a missing program directly, so that the error
  // names it.
  const isThere = !isAbsolute(command) || existsSync(command);
  return isAble && isThere ? ["setpriv", ["--pdeathsig", "KILL", command, ...args]] : [command, [...args]];
}
