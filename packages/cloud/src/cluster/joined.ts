import type { IncomingMessage } from "node:http";
import { learnWrite, type NotedElsewhere, shareWrites } from "../tracing/tracing.ts";
import { trustIn } from "../http/caller-address.ts";
import type { Services } from "../http/services.ts";
import type { Platform } from "../platform.ts";
import type { Relay } from "../relay/relay.ts";
import { answerPassed, serveRelay } from "./relay-peers.ts";
import { StrayConnections } from "./stray-connections.ts";
import { TunnelNews } from "./tunnel-news.ts";

/** How a serving process is one of several. */
export interface Joined {
  readonly connections: Pick<StrayConnections, "handle" | "upgrade">;
  /** Waits until this process shows all that others have acknowledged. */
  readonly fresh: () => Promise<void>;
  /** Leaves what other processes are to take over. */
  leave(): Promise<void>;
}

/**
 * Joins the other processes of a cloud: tells which hubs are here, and answers what is passed on.
 * @returns undefined for a cloud of one process
 */
export function joinCluster(
  {
    services: { cloud, bearers, clock },
    platform: { homes, connections, replication },
    relay,
  }: {
    readonly services: Pick<Services, "cloud" | "bearers" | "clock">;
    readonly platform: Pick<Platform, "homes" | "connections" | "replication">;
    readonly relay: Relay;
  },
  trustedProxies: readonly string[],
): Joined | undefined {
  const { cluster, kernel } = cloud;
  if (cluster === undefined || homes === undefined) return undefined;
  const originOf = trustIn(trustedProxies);
  const strays = new StrayConnections({
    cluster,
    homes,
    connections,
    bearers,
    clock,
    originOf: (incoming: IncomingMessage) => originOf(incoming),
  });
  serveRelay(cluster, relay);
  cluster.serve("sync", (json, signal) => replication.sync((json as { hubId: string }).hubId, signal));
  cluster.serve("traced", (noted) => learnWrite(noted as NotedElsewhere));
  shareWrites((noted) => {
    for (const { address } of cluster.nodes.others)
      void cluster.link.call(address, "traced", noted).catch(() => {});
  });
  cluster.take({
    passed: (incoming, outgoing) => {
      const isTaken =
        answerPassed(relay, incoming, outgoing) ||
        homes.answerPassed(incoming, outgoing) ||
        strays.handlePassed(incoming, outgoing);
      if (!isTaken) outgoing.writeHead(404).end();
    },
    upgraded: (incoming, socket, head) => strays.upgradePassed(incoming, socket, head),
  });
  const tunnelNews = new TunnelNews(cluster, relay.tunnels, clock, () => kernel.now());
  return {
    connections: strays,
    fresh: () => cluster.fresh(),
    async leave() {
      await homes.leave();
      tunnelNews.stop();
    },
  };
}
