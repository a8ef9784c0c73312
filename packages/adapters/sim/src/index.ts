import type { Adapter } from "@ledge/port";
import { SimAdapter } from "./sim.ts";

export { home } from "./home.ts";
export type { DeviceRow } from "./home.ts";
export type { ScriptEntry, SimSettings } from "./settings.ts";
export { SimAdapter } from "./sim.ts";
export { SimulatedWorld } from "./world.ts";

/** The simulated home as an adapter. */
export function createAdapter(): Adapter {
  return new SimAdapter();
}
