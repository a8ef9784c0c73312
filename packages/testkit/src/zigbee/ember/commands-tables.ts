import type { AirNode } from "../air-node.ts";
import { wire } from "../bytes.ts";
import { answer, type Commands } from "./commands.ts";
import { emberStatus, frameId, nodeType } from "./ezsp.ts";

const noNode = 0xffff;
const noIeee = "0xffffffffffffffff";
/** Status of an entry in the routing table. */
const route = { active: 0, unused: 3 } as const;

/** The tables of children, neighbours, routes and addresses. */
export const tableCommands: Commands = {
  /** EmberChildData of an end device that is a child of the stick. */
  [frameId.getChildData]: ({ radio }, request) => {
    const child = radio.nodes().filter(isChild)[request.u8()];
    if (!child?.place) return answer(emberStatus.notJoined).bytes(new Uint8Array(18));
    const type = child.isSleepy ? nodeType.sleepyEndDevice : nodeType.endDevice;
    return answer(emberStatus.success)
      .ieee(child.device.ieee)
      .u8(type)
      .u16(child.place.nwk)
      .u8(0, 0x80, 8)
      .u32(15_360);
  },
  [frameId.neighborCount]: ({ radio }) => wire().u8(radio.nodes().filter(isNeighbour).length),
  /** EmberNeighborTableEntry of a router within reach. */
  [frameId.getNeighbor]: ({ radio }, request) => {
    const near = radio.nodes().filter(isNeighbour)[request.u8()];
    if (!near?.place) return answer(emberStatus.indexOutOfRange).bytes(new Uint8Array(14));
    return answer(emberStatus.success).u16(near.place.nwk).u8(near.lqi, 1, 1, 3).ieee(near.device.ieee);
  },
  /** EmberRouteTableEntry: destination and next hop. */
  [frameId.getRouteTableEntry]: ({ radio }, request) => {
    const entry = radio.subject().routes()[request.u8()];
    const { to = noNode, via = noNode } = entry ?? {};
    return answer(emberStatus.success)
      .u16(to, via)
      .u8(entry ? route.active : route.unused, 0, 0, 0);
  },
  [frameId.lookupNodeIdByEui64]: ({ radio }, request) => {
    const ieee = request.ieee();
    return wire().u16(radio.nodes().find(({ device }) => device.ieee === ieee)?.place?.nwk ?? noNode);
  },
  [frameId.lookupEui64ByNodeId]: ({ radio }, request) => {
    const nwk = request.u16();
    const ieee = radio.nodes().find(({ place }) => place?.nwk === nwk)?.device.ieee;
    return answer(ieee === undefined ? emberStatus.badArgument : emberStatus.success).ieee(ieee ?? noIeee);
  },
};

function isChild({ place, isRouter }: AirNode): boolean {
  return place?.parent === null && !isRouter;
}

function isNeighbour({ place, isRouter }: AirNode): boolean {
  return place?.parent === null && isRouter;
}
