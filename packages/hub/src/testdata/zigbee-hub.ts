import type { Device } from "@ledge/model";
import type { ServedStick } from "@ledge/testkit/zigbee";
import { bareProfile, eventually } from "./hub-process.ts";

/** Writes the profile of a hub whose only adapter runs a simulated stick. @returns its path */
export function zigbeeProfile(folder: string, { path }: Pick<ServedStick, "path">): string {
  return bareProfile(folder, { adapters: { zigbee: { radio: { path, stick: "zstack" } } } });
}

/** A hub, as tests ask it. */
interface Asked {
  call(method: string, path: string): Promise<{ readonly json: unknown }>;
}

/** Waits until a hub's network is up. */
export async function networkUp(hub: Asked): Promise<void> {
  await eventually("the network", async () => {
    const { json } = await hub.call("GET", "/hub/zigbeestatus");
    return (json as { connected: boolean }).connected ? true : undefined;
  });
}

/** A device that a scan has found. */
export interface Find {
  readonly id: string;
  readonly pairingStatus: string;
  readonly status: Device | null;
}

/** Scans, and returns what was found so far. */
export async function finds(hub: Asked): Promise<readonly Find[]> {
  return ((await hub.call("GET", "/hub/scan?ts=0")).json as { devices: Find[] }).devices;
}
