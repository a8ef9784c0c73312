import { readFileSync } from "node:fs";
import { limits } from "@ledge/model";
import type { ConnectionBounds } from "./connections.ts";

/** Returns how many files this process may have open at a time; Infinity when Linux does not say. */
function openFiles(): number {
  try {
    const soft = /^Max open files +(?<soft>\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return Number(soft?.groups?.["soft"] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/**
 * Returns the limits of connections: those of `limits`, or fewer when the process may not open that many
 * files. The log and other files take precedence.
 * @param files how many files it may open
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
