// Commands about the nodes of the Z-Wave network.
import type { Answer } from "./call.ts";
import { protocol } from "./protocol.ts";

/** ZWAVE_NODE, as far as the interface reads it. */
export interface ZwaveNode {
  readonly nodeId: number;
  /** 0: it answers; 1: it was tried and does not; 2: nobody knows. */
  readonly status: number;
  /** How long ago it was heard (ms). */
  readonly ageMs: number | null;
  /** The hub's device of it. */
  readonly deviceId: string | null;
  /** The highest of its keys; NONE for a device that encrypts nothing. */
  readonly securityKeys: string | null;
  readonly genericClassName: string | null;
  readonly specificClassName: string | null;
  /** Whether its radio is always on. */
  readonly listening: boolean;
  readonly longRange: boolean;
  /** Counted since the network is up. */
  readonly statistics: {
    readonly commandsTX: number;
    readonly commandsDroppedTX: number;
    readonly timeoutResponse: number;
    /** ms */
    readonly rtt: number | null;
    /** dBm */
    readonly rssi: number | null;
    /** The nodes that passed the last command on, by their number. */
    readonly repeaters: readonly number[];
  };
}

/** The nodes of the Z-Wave network, as the stick and its driver know them: nothing is sent. None without a stick. */
export function zwaveNodes(signal: AbortSignal): Promise<Answer<readonly ZwaveNode[]>> {
  return protocol("ZWAVE_GET_NODES", {}, signal);
}

/** ZWAVE_CHECK_FAILED */
export interface NodeChecked {
  readonly isFailed: boolean;
  /** 0: it was asked. */
  readonly status: number;
  /** Why it could not be asked. */
  readonly reason: string | null;
}

/** Asks a node whether it is there. */
export function pingNode(nodeId: number): Promise<Answer<NodeChecked>> {
  return protocol("ZWAVE_CHECK_FAILED", { nodeId });
}

/** Begins to look for the best ways to a node. */
export function rebuildRoutes(nodeId: number): Promise<Answer<true>> {
  return protocol("ZWAVE_HEAL", { nodeId });
}

/** ZWAVE_HEAL_STATUS */
export interface Rebuild {
  readonly status: "IDLE" | "RUNNING" | "DONE" | "CANCEL" | "ERROR";
  readonly nodes: readonly {
    readonly nodeId: number;
    readonly status: "pending" | "skipped" | "failed" | "done";
  }[];
}

export function rebuildStatus(signal: AbortSignal): Promise<Answer<Rebuild>> {
  return protocol("GET_ZWAVE_HEAL_STATUS", {}, signal);
}
