import type { NetworkLink, NetworkMap, NetworkNode } from "../api/network.ts";

/** How a node is reached from the coordinator. */
export interface Reach {
  readonly node: NetworkNode;
  /** The node before it on the way; null for the coordinator and for nodes without a known way. */
  readonly parent: string | null;
  /** Links on the way; 0 for the coordinator, null without a known way. */
  readonly hops: number | null;
  /** Quality of the link to its parent (0 to 255), of Zigbee. */
  readonly lqi: number | null;
  /** How strongly the hub hears it (dBm), of Z-Wave nodes that it hears without others. */
  readonly rssi: number | null;
  /** Whether a way to it was looked for: a Z-Wave node that sleeps may have been asked nothing since the start. */
  readonly isAsked: boolean;
  /** Addresses of the nodes that are reached by it, by name. */
  readonly children: readonly string[];
}

/** Returns the node that holds a device of the hub. */
export function nodeOfDevice({ nodes }: Pick<NetworkMap, "nodes">, id: string): NetworkNode | undefined {
  return nodes.find(({ deviceIds }) => deviceIds.includes(id));
}

/** Of two directions of a link the worse counts: a message must come through and be acknowledged. */
function qualities(links: readonly NetworkLink[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const found = new Map<string, Map<string, number>>();
  const note = (from: string, to: string, lqi: number): void => {
    const of = found.get(from) ?? new Map<string, number>();
    found.set(from, of.set(to, Math.min(lqi, of.get(to) ?? lqi)));
  };
  for (const { from, to, lqi, relationship } of links) {
    if (relationship === "former child") continue;
    note(from, to, lqi);
    note(to, from, lqi);
  }
  return found;
}

/** A link of the best quality counts one, one of the worst three: a long way over good links beats a poor short one. */
function costOf(lqi: number): number {
  return 1 + (2 * (255 - lqi)) / 255;
}

interface Way {
  readonly cost: number;
  readonly parent: string | null;
  readonly hops: number;
  readonly lqi: number | null;
}

/** Returns the cheapest way to each node that has one (Dijkstra; networks have a few hundred nodes). */
function waysFrom(root: string, links: ReturnType<typeof qualities>): ReadonlyMap<string, Way> {
  const open = new Map<string, Way>([[root, { cost: 0, parent: null, hops: 0, lqi: null }]]);
  const done = new Map<string, Way>();
  while (open.size > 0) {
    const [at, way] = [...open].reduce((best, next) => (next[1].cost < best[1].cost ? next : best));
    open.delete(at);
    done.set(at, way);
    for (const [to, lqi] of links.get(at) ?? []) {
      const cost = way.cost + costOf(lqi);
      if (done.has(to) || (open.get(to)?.cost ?? Infinity) <= cost) continue;
      open.set(to, { cost, parent: at, hops: way.hops + 1, lqi });
    }
  }
  return done;
}

/** Returns what a reader calls a node. */
export function nameOf({ name, model, ieee }: NetworkNode): string {
  return name ?? model ?? ieee;
}

/** Returns how each node is reached, by its address, the coordinator first. */
export function routesOf({ nodes, links }: NetworkMap): ReadonlyMap<string, Reach> {
  const known = new Set(nodes.map(({ ieee }) => ieee));
  const root = nodes.find(({ type }) => type === "Coordinator")?.ieee;
  const heard = links.filter(({ from, to }) => known.has(from) && known.has(to));
  const ways: ReadonlyMap<string, Way> = root === undefined ? new Map() : waysFrom(root, qualities(heard));
  const byName = nodes.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const children = new Map<string, string[]>();
  for (const { ieee } of byName) {
    const parent = ways.get(ieee)?.parent ?? "";
    children.set(parent, [...(children.get(parent) ?? []), ieee]);
  }
  const inOrder = byName.toSorted((a, b) => Number(b.ieee === root) - Number(a.ieee === root));
  return new Map(
    inOrder.map((node) => {
      const way = ways.get(node.ieee);
      const { parent = null, hops = null, lqi = null } = way ?? {};
      const others = { children: children.get(node.ieee) ?? [], rssi: null, isAsked: true };
      return [node.ieee, { node, parent, hops, lqi, ...others }];
    }),
  );
}

/** Links of a lesser quality are likely to fail. */
export const weakLqi = 60;
/** A chip of the 700 series receives down to -97.5 dBm (EFR32ZG14 data sheet); 17 dB above it a link bears a bad day. */
export const weakRssi = -80;

export function isWeak({ lqi, rssi }: Pick<Reach, "lqi" | "rssi">): boolean {
  return (lqi !== null && lqi < weakLqi) || (rssi !== null && rssi < weakRssi);
}

/** Whether somebody should look after a node. */
export function isTroubled(reach: Reach): boolean {
  return reach.node.missing || (reach.isAsked && reach.hops === null) || isWeak(reach);
}
