import { readFileSync } from "node:fs";

/**
 * Returns the memory (bytes) of a process: all resident memory, or with `RssAnon` its own memory without mapped
 * files, which the system can reclaim (proc_pid_status(5)).
 * @throws Error when there is no such process
 */
export function memoryOf(pid: number, kind: "VmRSS" | "RssAnon"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${kind}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has ended`);
  return Number(kilobytes) * 1024;
}
