import { isLongRangeNodeId, NodeType, ProtocolVersion } from "@zwave-js/core";
import { jsonToNVM, nvmToJSON } from "@zwave-js/nvmedit";

type Content = Parameters<typeof jsonToNVM>[0];

/** A stick's network, as its memory holds it. */
export interface StickNetwork {
  readonly homeId: number;
  /** Without the stick's own. */
  readonly nodeIds: readonly number[];
}

const sdkVersion = "7.19.0";
const ownNodeId = 1;
/** The role of a static controller, and of a device that always listens (SDS10242). */
const generic = { controller: 0x02, slave: 0x10 } as const;

/** The memory of a stick of the 700 series, byte for byte. */
export class StickMemory {
  #made: { readonly of: string; readonly bytes: Uint8Array } | undefined;

  /** Returns the memory that holds a network. */
  async of(network: StickNetwork): Promise<Uint8Array> {
    const of = JSON.stringify(network);
    if (this.#made?.of !== of) this.#made = { of, bytes: await memoryOf(network) };
    return this.#made.bytes;
  }
}

async function memoryOf({ homeId, nodeIds }: StickNetwork): Promise<Uint8Array> {
  const ofMesh = nodeIds.filter((id) => !isLongRangeNodeId(id));
  const last = Math.max(ownNodeId, ...ofMesh);
  const nodes = Object.fromEntries([ownNodeId, ...ofMesh].map((id) => [id, nodeOf(id)]));
  const far = nodeIds.filter((id) => isLongRangeNodeId(id)).map((id) => [id, nodeOf(id)]);
  const lrNodes = far.length > 0 && { lrNodes: Object.fromEntries(far) as NonNullable<Content["lrNodes"]> };
  const controller: Content["controller"] = {
    protocolVersion: sdkVersion,
    applicationVersion: sdkVersion,
    homeId: `0x${homeId.toString(16).padStart(8, "0")}`,
    nodeId: ownNodeId,
    lastNodeId: last,
    maxNodeId: last,
    staticControllerNodeId: ownNodeId,
    sucLastIndex: 0xff,
    controllerConfiguration: 0x28,
    sucUpdateEntries: [],
    reservedId: 0,
    systemState: 0,
    isListening: true,
    optionalFunctionality: true,
    genericDeviceClass: generic.controller,
    specificDeviceClass: 0x07,
    commandClasses: {
      includedInsecurely: [],
      includedSecurelyInsecureCCs: [],
      includedSecurelySecureCCs: [],
    },
  };
  return await jsonToNVM({ format: 0, controller, nodes, ...lrNodes }, sdkVersion);
}

/** Returns the network in a memory; undefined for one that a stick cannot read, after which it is as new. */
export async function networkIn(memory: Uint8Array): Promise<StickNetwork | undefined> {
  try {
    const { controller, nodes, lrNodes } = await nvmToJSON(Uint8Array.from(memory));
    const nodeIds = Object.keys({ ...nodes, ...lrNodes })
      .map(Number)
      .filter((id) => id !== controller.nodeId);
    return { homeId: Number(controller.homeId), nodeIds };
  } catch {
    return undefined;
  }
}

function nodeOf(id: number): Content["nodes"][number] {
  return {
    isVirtual: false,
    isListening: true,
    isFrequentListening: false,
    isRouting: true,
    supportedDataRates: [40_000],
    protocolVersion: ProtocolVersion["4.5x / 6.0x"],
    optionalFunctionality: true,
    nodeType: id === ownNodeId ? NodeType.Controller : NodeType["End Node"],
    supportsSecurity: false,
    supportsBeaming: true,
    genericDeviceClass: id === ownNodeId ? generic.controller : generic.slave,
    specificDeviceClass: 0x01,
    neighbors: [],
    sucUpdateIndex: 0,
    appRouteLock: false,
    routeSlaveSUC: false,
    sucPendingUpdate: false,
    pendingDiscovery: false,
  };
}
