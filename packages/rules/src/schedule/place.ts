import type { World } from "@ledge/model";
export interface Place {
  readonly zone: string;
  readonly latitude: number;
  readonly longitude: number;
}
export function placeIn(world: Pick<World, "all">): Place {
  for (const [, hub] of world.all("hub")) return { zone: hub.timezone, latitude: 60, longitude: 25 };
  return { zone: "UTC", latitude: 51, longitude: 0 };
}
