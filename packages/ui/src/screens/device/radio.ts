import type { NetworkMap } from "../../api/network.ts";
import type { Rebuild } from "../../api/zwave-nodes.ts";
import { nodeOfDevice, type Reach, routesOf } from "../../parts/routes.ts";
import type { Key } from "../../texts/texts.ts";

/** How a device of the Zigbee network is reached. */
export interface ZigbeeWay {
  readonly reach: Reach;
  /** The node before it on the way; undefined without a known way. */
  readonly parent: Reach | undefined;
  /** Its addresses: that of its radio, and that in the network. */
  readonly address: string;
}

/** Returns how a device is reached; undefined for one that is not in the network. */
export function zigbeeWayOf(map: NetworkMap, id: string): ZigbeeWay | undefined {
  const node = nodeOfDevice(map, id);
  if (node === undefined) return undefined;
  const routes = routesOf(map);
  const reach = routes.get(node.ieee);
  const short = node.nwk.toString(16).toUpperCase().padStart(4, "0");
  return reach && { reach, parent: routes.get(reach.parent ?? ""), address: `${node.ieee}, 0x${short}` };
}

/** Returns how far the rebuild of a node's routes is, which somebody has asked for. */
export function rebuildText({ status, nodes }: Rebuild, nodeId: number): Key {
  const own = nodes.find((node) => node.nodeId === nodeId)?.status;
  if (status === "RUNNING") return own === undefined ? "radio.rebuildsOthers" : "radio.rebuilds";
  return status === "DONE" && own === "done" ? "radio.rebuilt" : "radio.notRebuilt";
}
