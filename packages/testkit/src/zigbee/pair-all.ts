import { setTimeout as sleep } from "node:timers/promises";
import type { AirDevice, Ieee } from "./air.ts";
import type { SimulatedAir } from "./simulated-air.ts";

/** A call of the hub's API as one who may pair: the body of its answer. */
export type HubCall = (method: string, path: string, body?: object) => Promise<unknown>;

const lookEveryMs = 250;

/**
 * Pairs devices with a hub as a client does it, all in one scan: each joins, is kept when all is known of it, and then
 * the scan is stopped.
 * @returns the hub's ids of them, by address; of a device that is several the first
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
