import { readFileSync } from "node:fs";

/** Resident memory of a process (MB), or undefined where the system does not tell. */
export function residentMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kB === undefined ? undefined : Math.ceil(Number(kB) / 1024);
  } catch {
    return undefined;
  }
}
