import { Homes } from "./cluster/homes.ts";
import { type Egress, openEgress } from "./egress/open-egress.ts";
import { Receivers } from "./egress/receivers.ts";
import type { Graph } from "./graph/graph.ts";
import { openGraph } from "./graph/open-graph.ts";
import type { Allowances } from "./http/allowances.ts";
import type { Addressed, Origin } from "./http/caller-address.ts";
import type { Services } from "./http/services.ts";
import { OAuth } from "./oauth/oauth.ts";
import { type Connections, openConnections } from "./push/connections.ts";
import { openWatching } from "./push/open-watching.ts";
import type { Watching } from "./push/watching.ts";
import type { Relay } from "./relay/relay.ts";
import { openReplication } from "./replication/open-replication.ts";
import type { Replication } from "./replication/replication.ts";

/** Options of `openPlatform`. */
export interface PlatformOptions extends Omit<Services, "lan"> {
  readonly relay: Relay;
  readonly allowances: Allowances;
  readonly originOf: (asked: Addressed) => Origin;
  /** Returns the URL (without a path) under which people reach the cloud. */
  readonly addressOfCloud: () => string;
  readonly newId: () => string;
  readonly random: (size: number) => Uint8Array;
  /** Networks whose addresses may receive the events of sites, besides hosts of the internet. */
  readonly egressNetworks?: readonly string[];
}

/** What answers the platform API of a cloud (platform-api). */
export interface Platform {
  readonly graph: Graph;
  readonly watching: Watching;
  readonly connections: Connections;
  readonly replication: Replication;
  readonly oauth: OAuth;
  readonly egress: Egress;
  /** Where the pushes of users are; absent for a cloud of one process. */
  readonly homes?: Homes;
}

/** Opens the platform over a cloud and its relay. */
export function openPlatform(options: PlatformOptions): Platform {
  const { cloud, relay } = options;
  const { registers, bus, cluster } = cloud;
  const watching = openWatching({ ...options, tunnels: relay.tunnels, registers, bus });
  const onError = (error: Error): void => options.logger.error({ error }, "a user could not move");
  const homes = cluster && new Homes({ cluster, watching, clock: options.clock, onError });
  const receivers = new Receivers(options.egressNetworks);
  const egress = openEgress({ ...options, receivers });
  const replication = openReplication({ ...options, egress, tunnels: relay.tunnels });
  const graph = openGraph({ ...options, watching: homes ?? watching, replication, receivers });
  const connections = openConnections({
    ...options,
    graph,
    watching,
    registers,
    bus,
    ...(homes && cluster && { homes, nodes: cluster.nodes }),
  });
  const oauth = new OAuth({ ...options, address: options.addressOfCloud });
  return { graph, watching, connections, replication, oauth, egress, ...(homes && { homes }) };
}
