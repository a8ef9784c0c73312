import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

let isAble: boolean | undefined;

/**
 * How to start a program so that it never outlives this process: the kernel kills it (SIGKILL) when this process ends,
 * however this ends and whatever the program is at. That takes setpriv of util-linux. Where it is missing the
 * program is started as it is, and ends when it notices by itself.
 *
 * To be called by the main thread: what the kernel looks at is the thread that starts the program.
 */
export function tied(command: string, args: readonly string[]): [command: string, args: string[]] {
  isAble ??= spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0;
  // setpriv would run, and end with a status of its own: a program that is not there is to be told as such.
  const isThere = !isAbsolute(command) || existsSync(command);
  return isAble && isThere ? ["setpriv", ["--pdeathsig", "KILL", command, ...args]] : [command, [...args]];
}
