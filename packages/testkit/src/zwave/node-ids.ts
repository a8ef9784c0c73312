import { encodeNodeID, isLongRangeNodeId, type NodeIDType, parseNodeID } from "@zwave-js/core";
import type { MockController } from "@zwave-js/testing";

/** The last id of a node in the mesh. */
const lastOfMesh = 232;
/** The ids of nodes with Long Range; those above are shadows of the stick's own (INS14259). */
export const longRangeIds = { first: 256, last: 2001 } as const;

/** Returns the id of a node at the start of what follows a frame's function; its host has chosen 8 or 16 bits. */
export function nodeIdIn(payload: Uint8Array, { parsingContext }: MockController): number {
  return parseNodeID(Uint8Array.from(payload), parsingContext.nodeIdType).nodeId;
}

/** Returns the id of a node as it stands in a frame. */
export function nodeIdBytes(id: number, { encodingContext }: MockController): Uint8Array {
  return encodeNodeID(id, encodingContext.nodeIdType);
}

/** Ids in frames have 8 or 16 bits from now on. */
export function writeNodeIdsAs(
  nodeIdType: NodeIDType,
  { encodingContext, parsingContext }: MockController,
): void {
  Object.assign(encodingContext, { nodeIdType });
  Object.assign(parsingContext, { nodeIdType });
}

/** The ids that a stick gives to nodes, one after the other. */
export class NodeIds {
  #last = 1;
  #lastOfLongRange: number = longRangeIds.first - 1;

  /** @param isLongRange whether the node joins by Long Range */
  next(isLongRange = false): number {
    if (!isLongRange) {
      this.#last = (this.#last % lastOfMesh) + 1;
      return this.#last;
    }
    const { first, last } = longRangeIds;
    this.#lastOfLongRange = this.#lastOfLongRange < last ? this.#lastOfLongRange + 1 : first;
    return this.#lastOfLongRange;
  }

  /** Further nodes get ids after these. */
  continueAfter(ids: readonly number[]): void {
    this.#last = Math.max(1, ...ids.filter((id) => !isLongRangeNodeId(id)));
    this.#lastOfLongRange = Math.max(longRangeIds.first - 1, ...ids);
  }
}
