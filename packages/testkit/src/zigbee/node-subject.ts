import type { Ieee } from "./air.ts";
import type { AirNode } from "./air-node.ts";
import type { Delivery } from "./delivery.ts";
import type { Coordinator } from "./network.ts";
import type { Neighbour, ZdoSubject } from "./zdo-server.ts";

interface NodeSubject extends ZdoSubject {
  /** Carries out what an answered request asked for and what must come after the answer. */
  afterwards(): void;
}

/**
 * Presents a device to ZDO requests.
 * @param leave takes it out of its network, or makes it rejoin at once
 */
export function nodeSubject(
  air: { readonly delivery: Delivery; readonly energy: ReadonlyMap<number, number> },
  node: AirNode,
  leave: (rejoins: boolean) => void,
): NodeSubject {
  const { device, bindings, place, isRouter } = node;
  const coordinator = air.delivery.coordinatorOf(node);
  const members = coordinator ? air.delivery.membersOf(coordinator) : [];
  const children = members.filter((other) => other.place?.parent === node);
  let goes: { rejoins: boolean } | null = null;
  return {
    ieee: device.ieee,
    nwk: place?.nwk ?? 0xfffe,
    type: isRouter ? 1 : 2,
    descriptor: device.descriptor,
    bindings,
    extendedPanId: place?.network.extendedPanId ?? "",
    hasRoom: bindings.length < (node.options.bindingTableSize ?? Infinity),
    neighbours() {
      const parent = place?.parent;
      const above = parent ? neighbourOf(parent, 0) : coordinator && coordinatorBeside(coordinator, node.lqi);
      return [...(above ? [above] : []), ...children.map((child) => neighbourOf(child, 1))];
    },
    routes: () => (isRouter ? [{ to: 0, via: place?.parent?.place?.nwk ?? 0 }] : []),
    leave: (rejoins) => (goes = { rejoins }),
    permit: (seconds) => node.permit(seconds),
    energy: (channel) => air.energy.get(channel) ?? 0,
    changeChannel(channel) {
      if (place) place.network = { ...place.network, channel };
    },
    nwkOf: (ieee) => (ieee === device.ieee ? place?.nwk : nwkOfChild(children, ieee)),
    ieeeOf: (nwk) => (nwk === place?.nwk ? device.ieee : undefined),
    afterwards() {
      if (!goes) return;
      if (place) coordinator?.hasLeft(device.ieee, place.nwk, goes.rejoins);
      leave(goes.rejoins);
    },
  };
}

/** Returns the address of a sleeping child, for which its parent answers. */
export function nwkOfChild(children: readonly AirNode[], ieee: Ieee): number | undefined {
  return children.find(({ device, isSleepy }) => isSleepy && device.ieee === ieee)?.place?.nwk;
}

function coordinatorBeside({ ieee }: Coordinator, lqi: number): Neighbour {
  return { ieee, nwk: 0, type: 0, isRxOnWhenIdle: true, relation: 0, depth: 0, lqi };
}

/** Returns the entry of a device in a neighbour table. */
export function neighbourOf(node: AirNode, relation: number): Neighbour {
  return {
    ieee: node.device.ieee,
    nwk: node.place?.nwk ?? 0xfffe,
    type: node.isRouter ? 1 : 2,
    isRxOnWhenIdle: !node.isSleepy,
    relation,
    depth: depthOf(node),
    lqi: node.lqi,
  };
}

function depthOf(node: AirNode): number {
  return node.place?.parent ? depthOf(node.place.parent) + 1 : 1;
}
