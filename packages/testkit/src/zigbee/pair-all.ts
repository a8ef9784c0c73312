import { setTimeout as sleep } from "node:timers/promises";
import type { AirDevice, Ieee } from "./air.ts";
import type { SimulatedAir } from "./simulated-air.ts";

/** Calls the hub's API as a user who may pair, and returns the body of the answer. */
export type HubCall = (method: string, path: string, body?: object) => Promise<unknown>;

const lookEveryMs = 250;
/** No machine is so slow: what is not found by then does not come. */
const looksAtMost = 2400;

/** A find, as far as is read of it. */
interface Find {
  readonly id: string;
  readonly pairingStatus: string;
  readonly actionRequired: boolean;
  readonly timestamp: number;
}

/**
 * Pairs devices with a hub like a client, all in one scan: each joins and is kept when it is fully known; then
 * the scan is stopped. When the hub asks for it, their buttons are pressed: one may have slept through its interview.
 * @returns the hub's ids by address; the first id of a device that is several
 * @throws Error when a device does not come to be known
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
  const pressed = new Set<string>();
  for (let looks = 0; kept.size < devices.length; looks++) {
    if (looks === looksAtMost) throw new Error(`the hub knows ${kept.size} of ${devices.length} devices`);
    const { devices: finds } = (await call("GET", "/hub/scan?ts=0")) as { readonly devices: readonly Find[] };
    for (const { id, pairingStatus, actionRequired, timestamp } of finds) {
      if (actionRequired && !pressed.has(`${id} ${timestamp}`)) {
        pressed.add(`${id} ${timestamp}`);
        for (const { ieee } of devices) air.announce(ieee);
      }
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
