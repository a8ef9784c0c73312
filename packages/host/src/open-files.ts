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
 * @param all the limit of all connections of the process
 * @param files how many files it may open
 */
export function connectionBounds(
  all: number = limits.connections,
  files: number = openFiles(),
): ConnectionBounds {
  const { connectionsPerUser, connectionsPerAddress, strangersPerAddress } = limits;
  const room = Math.max(1, files - limits.filesBeside);
  const share = Math.min(1, room / limits.connections);
  const most = (limit: number): number => Math.max(1, Math.floor(limit * share));
  return {
    connections: Math.min(all, room),
    connectionsPerAddress: most(connectionsPerAddress),
    strangersPerAddress: most(strangersPerAddress),
    connectionsPerUser: most(connectionsPerUser),
  };
}
