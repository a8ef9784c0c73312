import type { Command, Reaction } from "@ledge/model";

/** With a device go its settings and what is known of its firmware. */
export const removedUpkeep: Reaction = {
  name: "removed upkeep",
  on: ["DeviceRemoved"],
  react: ({ id }, read) => {
    const commands: object[] = [];
    if (read.get("configuration", id) !== undefined)
      commands.push({ type: "DESCRIBE_CONFIGURATION", id, items: null, values: {} });
    if (read.get("upgrade", id) !== undefined) commands.push({ type: "NOTE_UPGRADE", id, upgrade: null });
    return commands as Command[];
  },
};
