import { readFileSync } from "node:fs";

/**
 * Memory (bytes) of a process: all of it that is resident, or `RssAnon`, its own, without files that it has mapped
 * and that the system may take back (proc_pid_status(5)).
 * @throws Error when there is no such process
 */
export function memoryOf(pid: number, kind: "VmRSS" | "RssAnon"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${kind}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has ended`);
  return Number(kilobytes) * 1024;
}
