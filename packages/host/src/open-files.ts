import { readFileSync } from "node:fs";
import { limits } from "@ledge/model";
import type { ConnectionBounds } from "./connections.ts";

/** How many files this process may have open at a time; Infinity where Linux does not say. */
function openFiles(): number {
  try {
    const soft = /^Max open files +(?<soft>\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return Number(soft?.groups?.["soft"] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/**
 * How many connections a process may have: as `limits` say, or fewer where it may not open so many files. Its log and
 * what else it opens come first.
 * @param files how many it may open
 */
export function connectionBounds(files: number = openFiles()): ConnectionBounds {
  const { connections, connectionsPerUser, connectionsPerAddress, strangersPerAddress } = limits;
  const share = Math.min(1, Math.max(0, files - limits.filesBeside) / connections);
  const most = (limit: number): number => Math.max(1, Math.floor(limit * share));
  return {
    connections: most(connections),
    connectionsPerAddress: most(connectionsPerAddress),
    strangersPerAddress: most(strangersPerAddress),
    connectionsPerUser: most(connectionsPerUser),
  };
}
