import type { Command, Reaction } from "@ledge/model";
import { scanId } from "@ledge/model";

/** A scan that nobody asks about any more ends. */
export const scanTimeout: Reaction = {
  name: "scan timeout",
  on: ["TimerFired"],
  react: ({ id }) => (id === scanId ? [{ type: "END_SCAN" }] : []),
};

/** A device that is paired by a command while a scan runs shows in it. */
export const pairedDuringScan: Reaction = {
  name: "paired during scan",
  on: ["DeviceAdded"],
  react: ({ id }, read) =>
    read.get("scan", scanId) === undefined ? [] : [{ type: "NOTE_PAIRED", device: id } as Command],
};
