import type { Reach } from "../../parts/routes.ts";

/** Where a node is drawn, in a square from -1 to 1. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Returns places on rings around the coordinator: a ring for each hop, and a sector for each branch by its leaves. */
export function placesOf(routes: ReadonlyMap<string, Reach>): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const roots = [...routes.values()].filter(({ hops }) => hops === 0);
  const deepest = Math.max(1, ...[...routes.values()].map(({ hops }) => hops ?? 0));
  const leaves = new Map<string, number>();
  const count = (at: string): number => {
    const below = routes.get(at)?.children ?? [];
    const all = below.length === 0 ? 1 : below.reduce((sum, child) => sum + count(child), 0);
    leaves.set(at, all);
    return all;
  };
  const place = (at: string, from: number, to: number): void => {
    const { hops, children } = routes.get(at) as Reach;
    const angle = (from + to) / 2;
    const radius = (hops ?? 0) / deepest;
    places.set(at, { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) });
    let begin = from;
    for (const child of children) {
      const end = begin + ((to - from) * (leaves.get(child) ?? 1)) / (leaves.get(at) ?? 1);
      place(child, begin, end);
      begin = end;
    }
  };
  for (const { node } of roots) {
    count(node.ieee);
    place(node.ieee, 0, 2 * Math.PI);
  }
  return places;
}
