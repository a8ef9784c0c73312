import { setTimeout as sleep } from "node:timers/promises";
import type { AirDevice, Ieee } from "./air.ts";
import type { SimulatedAir } from "./simulated-air.ts";

/** Calls the hub's API as a user who may pair, and returns the body of the answer. */
export type HubCall = (method: string, path: string, body?: object) => Promise<unknown>;

const lookEveryMs = 250;

/**
 * Pairs devices with a hub like a client, all in one scan: each joins and is kept when it is fully known; then
 * the scan is stopped.
 * @returns the hub's ids by address; the first id of a device that is several
 */
export async function pairAll(
  call: HubCall,
  air: SimulatedAir,
  devices: readonly AirDevice[],
): Promise<ReadonlyMap<Ieee, string>> {
  for (const device of devices) {
    air.add(device);
    air.seek(device.ieee);
  }
  const kept = new Set<string>();
  while (kept.size < devices.length) {
    const { devices: finds } = (await call("GET", "/hub/scan?ts=0")) as {
      readonly devices: readonly { readonly id: string; readonly pairingStatus: string }[];
    };
    for (const { id, pairingStatus } of finds) {
      if (pairingStatus !== "COMPLETE" || kept.has(id)) continue;
      await call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
      kept.add(id);
    }
    await sleep(lookEveryMs);
  }
  await call("GET", "/hub/stopscan");
  const { nodes } = (await call("GET", "/hub/zigbeemap")) as {
    readonly nodes: readonly { readonly ieee: Ieee; readonly deviceIds: readonly string[] }[];
  };
  return new Map(nodes.flatMap(({ ieee, deviceIds: [id] }) => (id === undefined ? [] : [[ieee, id]])));
}
