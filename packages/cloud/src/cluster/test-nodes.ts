// Processes of one cloud within a test's own process.
import type { RegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Cluster, type LogOfCluster } from "./cluster.ts";
import { Nodes } from "./nodes.ts";
import { PeerLink } from "./peer-link.ts";

const key = { id: "key", key: Buffer.alloc(32, 1) };

/** A log that no other process writes. */
const alone: LogOfCluster = {
  fresh: async () => {},
  figures: () => ({ isWriting: true, leaseAgeMs: 0, behindMs: 0 }),
};

/** Returns a link that reaches all others of this function. */
export const testLink = (): PeerLink => new PeerLink({ get: () => key.key, sealing: () => key });

/** Joins a process to those that share its registers. @param name also its instance */
export async function joinNode(name: string, registers: RegisterStore, clock: Clock): Promise<Cluster> {
  const link = testLink();
  const own = { name, instance: name, address: await link.listen("127.0.0.1", 0), url: "" };
  const nodes = new Nodes({ registers, own, clock, logger: createLogger("silent") });
  await nodes.begin();
  return new Cluster(nodes, link, alone);
}

/** Leaves the cloud, and ends the link. */
export async function leaveNode({ nodes, link }: Cluster): Promise<void> {
  await nodes.leave();
  await link.close();
}
