import type { AirNode } from "./air-node.ts";

/** A radio on the way of a frame; null for the coordinator. */
export type Stop = AirNode | null;

/** Returns the radios on the way between two of a network, with both ends: up to a parent that they share, then down. */
export function routeBetween(from: Stop, to: Stop): readonly Stop[] {
  const [up, down] = [upwards(from), upwards(to)];
  const turn = up.find((stop) => down.includes(stop)) ?? null;
  return [...up.slice(0, up.indexOf(turn) + 1), ...down.slice(0, down.indexOf(turn)).toReversed()];
}

/** Returns a radio, its parent, and so on up to the coordinator. */
function upwards(stop: Stop): readonly Stop[] {
  return stop === null ? [null] : [stop, ...upwards(stop.place?.parent ?? null)];
}
