import { type AdapterStore, FirmwareNotes } from "@ledge/port";
import type { Node } from "../nodes.ts";
import type { Firmware } from "./firmware.ts";

/** What is known about the firmware of nodes, by IEEE address. */
export type NodeNotes = FirmwareNotes<Firmware, Node>;

/**
 * Stores nothing for a node that the hub does not have; it is asked again when the hub keeps it.
 * @param changed called when the data of a node may have changed
 */
export function nodeNotes(store: AdapterStore, changed: (node: Node) => void): NodeNotes {
  return new FirmwareNotes({
    store,
    idOf: ({ ieee }) => ieee,
    isKept: ({ isMember }) => isMember,
    failureOf: ({ running }, message) => ({ fileVersion: running?.fileVersion ?? 0, message }),
    changed,
  });
}
