import type { Command, Reaction } from "@ledge/model";
import { scanId } from "@ledge/model";

/** Ends a scan that no client asks about any more. */
export const scanTimeout: Reaction = {
  name: "scan timeout",
  on: ["TimerFired"],
  react: ({ id }) => (id === scanId ? [{ type: "END_SCAN" }] : []),
};

/** Shows a device in the running scan when a command pairs it. */
export const pairedDuringScan: Reaction = {
  name: "paired during scan",
  on: ["DeviceAdded"],
  react: ({ id }, read) =>
    read.get("scan", scanId) === undefined ? [] : [{ type: "NOTE_PAIRED", device: id } as Command],
};
