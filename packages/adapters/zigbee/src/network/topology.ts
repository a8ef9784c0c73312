import type { AdapterClock } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";

/** A node of the network. */
export interface MapNode {
  readonly ieee: string;
  readonly nwk: number;
  readonly type: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** When it was last heard (ms since the epoch), or null. */
  readonly lastSeen: number | null;
  /** Whether its neighbour table was read; null for a node without one. */
  readonly answered: boolean | null;
  /** Whether it has not been heard since the network moved to another stick. */
  readonly missing: boolean;
}

/** What `from` knows about its neighbour `to`. */
export interface MapLink {
  readonly from: string;
  readonly to: string;
  /** Link quality, 0 to 255. */
  readonly lqi: number;
  /** Hops from the coordinator to `to`, according to `from`. */
  readonly depth: number;
  readonly relationship: string;
  /** Network addresses that `from` reaches through `to`. */
  readonly routes: readonly number[];
}

/** The map of a network. */
export interface NetworkMap {
  /** When reading began (ms since the epoch). */
  readonly at: number;
  /** False while nodes are still being read. */
  readonly complete: boolean;
  readonly nodes: readonly MapNode[];
  readonly links: readonly MapLink[];
}

/** How long a node may take to return its tables. */
const nodeMs = 5000;
const relationships = ["parent", "child", "sibling", "none", "former child"] as const;

/**
 * Reads the tables of the coordinator and the routers, one after the other, so that commands can go in
 * between.
 * @param missing IEEE addresses
 * @param told gets the map so far after each node; the last one is complete.
 */
export async function readMap(
  controller: Controller,
  missing: ReadonlySet<string>,
  clock: AdapterClock,
  told: (map: NetworkMap) => void,
): Promise<NetworkMap> {
  const at = clock.now();
  const devices = [...controller.getDevicesIterator()];
  const answered = new Map<string, boolean>();
  const links: MapLink[] = [];
  const mapOf = (complete: boolean): NetworkMap => ({
    at,
    complete,
    nodes: devices.map((device) => nodeOf(device, missing, answered.get(device.ieeeAddr) ?? null)),
    links: [...links],
  });
  for (const device of devices) {
    if (device.type !== "Coordinator" && device.type !== "Router") continue;
    try {
      links.push(...(await withinTime(linksOf(device), clock)));
      answered.set(device.ieeeAddr, true);
    } catch {
      answered.set(device.ieeeAddr, false);
    }
    told(mapOf(false));
  }
  const map = mapOf(true);
  told(map);
  return map;
}

async function linksOf(device: Models.Device): Promise<MapLink[]> {
  const neighbours = await device.lqi();
  // Many devices do not return routes; their neighbours are still useful.
  const routes = await device.routingTable().catch(() => []);
  return neighbours.map(({ eui64, nwkAddress, lqi, depth, relationship }) => ({
    from: device.ieeeAddr,
    to: eui64,
    lqi,
    depth,
    relationship: relationships[relationship] ?? "none",
    routes: routes
      .filter(({ status, nextHopAddress }) => status === "ACTIVE" && nextHopAddress === nwkAddress)
      .map(({ destinationAddress }) => destinationAddress),
  }));
}

function nodeOf(device: Models.Device, missing: ReadonlySet<string>, answered: boolean | null): MapNode {
  return {
    ieee: device.ieeeAddr,
    nwk: device.networkAddress,
    type: device.type,
    manufacturer: device.manufacturerName ?? null,
    model: device.modelID ?? null,
    lastSeen: device.lastSeen ?? null,
    answered,
    missing: missing.has(device.ieeeAddr),
  };
}

async function withinTime<T>(promise: Promise<T>, clock: AdapterClock): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(nodeMs, () => late.reject(new Error("the node did not answer in time")));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    cancel();
  }
}
