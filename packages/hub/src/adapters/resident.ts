import { readFileSync } from "node:fs";

/** Returns the resident memory of a process (MB); undefined when the system does not report it. */
export function residentMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kB === undefined ? undefined : Math.ceil(Number(kB) / 1024);
  } catch {
    return undefined;
  }
}
