import type { NetworkNode } from "../api/network.ts";
import type { ZwaveNode } from "../api/zwave-nodes.ts";
import { nameOf, type Reach } from "./routes.ts";

/** `status` of a node that was tried and does not answer. */
const silent = 1;

/** The hub's stick among the nodes. */
const hub: NetworkNode = {
  ieee: "hub",
  nwk: 1,
  type: "Coordinator",
  manufacturer: null,
  model: null,
  lastSeen: null,
  missing: false,
  deviceIds: [],
  name: null,
};

/** Returns the security of a Z-Wave node for readers, such as "S2 Authenticated"; undefined for none. */
export function securityOf({ securityKeys }: Pick<ZwaveNode, "securityKeys">): string | undefined {
  return securityKeys === null || securityKeys === "NONE" ? undefined : securityKeys.replaceAll("_", " ");
}

/** Returns the node that passed the last command on to a node; the hub, if it was heard without others. */
function parentOf({ longRange, statistics: { repeaters, rtt } }: ZwaveNode): string | null {
  const last = repeaters.at(-1);
  if (last !== undefined && !longRange) return String(last);
  return longRange || rtt !== null ? hub.ieee : null;
}

/**
 * Returns how each Z-Wave node was reached by the last command to it, by its number, the hub first. Each way is of its own
 * moment: where two nodes are said to pass on for each other, the hub is taken for the one before the second.
 * @param at when the nodes were as they are (ms since the epoch)
 * @param called returns the name of a node: of its device, or by its number
 */
export function zwaveRoutesOf(
  nodes: readonly ZwaveNode[],
  at: number,
  called: (node: ZwaveNode) => string,
): ReadonlyMap<string, Reach> {
  const shown = nodes.map((node) => ({ of: node, node: networkNode(node, at, called(node)) }));
  const byName = shown.toSorted((a, b) => nameOf(a.node).localeCompare(nameOf(b.node)));
  const known = new Set([hub.ieee, ...byName.map(({ node }) => node.ieee)]);
  const parents = new Map<string, string>();
  for (const { of, node } of byName) {
    const wanted = parentOf(of);
    if (wanted === null) continue;
    const parent = known.has(wanted) ? wanted : hub.ieee;
    parents.set(node.ieee, leadsTo(parents, parent, node.ieee) ? hub.ieee : parent);
  }
  const childrenOf = (ieee: string): string[] =>
    byName.flatMap(({ node }) => (parents.get(node.ieee) === ieee ? [node.ieee] : []));
  const root = { node: hub, parent: null, hops: 0, lqi: null, rssi: null, isAsked: true };
  const reaches = byName.map(({ of, node }): readonly [string, Reach] => {
    const hops = hopsOf(parents, node.ieee);
    const rssi = hops === 1 ? of.statistics.rssi : null;
    const parent = parents.get(node.ieee) ?? null;
    const children = childrenOf(node.ieee);
    return [node.ieee, { node, parent, hops, lqi: null, rssi, isAsked: hops !== null, children }];
  });
  return new Map([[hub.ieee, { ...root, children: childrenOf(hub.ieee) }], ...reaches]);
}

function networkNode(node: ZwaveNode, at: number, name: string): NetworkNode {
  const { nodeId, ageMs, deviceId, listening, specificClassName, genericClassName, status } = node;
  return {
    ieee: String(nodeId),
    nwk: nodeId,
    type: listening ? "Router" : "EndDevice",
    manufacturer: null,
    model: specificClassName ?? genericClassName,
    lastSeen: ageMs === null ? null : at - ageMs,
    missing: status === silent,
    deviceIds: deviceId === null ? [] : [deviceId],
    name,
  };
}

/** Whether the way from a node to the hub passes another one. */
function leadsTo(parents: ReadonlyMap<string, string>, from: string, to: string): boolean {
  for (let at: string | undefined = from; at !== undefined; at = parents.get(at)) if (at === to) return true;
  return false;
}

function hopsOf(parents: ReadonlyMap<string, string>, ieee: string): number | null {
  let hops = 0;
  for (let at: string | undefined = ieee; at !== hub.ieee; at = parents.get(at), hops++)
    if (at === undefined) return null;
  return hops;
}
