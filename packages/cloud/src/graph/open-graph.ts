import type { Relay } from "../relay/relay.ts";
import { Cursors } from "./cursors.ts";
import { Graph } from "./graph.ts";
import { HubCalls } from "./hub-calls.ts";
import type { GraphParts } from "./parts.ts";

/** What Graph is made of. */
export type GraphOptions = Omit<GraphParts, "cursors" | "hubCalls"> & { readonly relay: Relay };

/** Opens Graph over a cloud and its relay. */
export function openGraph({ relay, ...options }: GraphOptions): Graph {
  return new Graph({
    ...options,
    cursors: new Cursors(options.cloud.digests),
    hubCalls: new HubCalls(relay, options.cloud),
  });
}
